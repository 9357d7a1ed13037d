/**
 * Pods, tasks and execs: their states, rules and events, and the ports behind which walls, exits
 * and descriptors stand.
 *
 * <p>A pod is one sandbox and any number of tasks; the task with the pod's own id is its sandbox
 * task. A task has one init process and any number of execs. {@link dev.caisson.engine.Pods} is the
 * way in; {@link dev.caisson.engine.Sandbox} is what each isolation implements.
 */
package dev.caisson.engine;
