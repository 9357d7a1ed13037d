/**
 * From image and settings to the runtime specification of one container; nothing here changes the
 * machine.
 */
package dev.caisson.daemon.container;
