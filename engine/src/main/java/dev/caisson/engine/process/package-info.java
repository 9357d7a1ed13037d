/**
 * Process isolation: namespaces and cgroups made by a low-level OCI runtime, controlled through the
 * kernel.
 */
package dev.caisson.engine.process;
