/**
 * The node: {@link dev.caisson.daemon.Main} puts engine, images and keeper together, {@link
 * dev.caisson.daemon.ApiServer} serves them on the node's socket, {@link
 * dev.caisson.daemon.NodeContainers} and {@link dev.caisson.daemon.NodeImages} do what the
 * library's calls ask.
 */
package dev.caisson.daemon;
