/**
 * The node: {@link dev.caisson.daemon.Main} puts engine, images and keeper together, {@link
 * dev.caisson.daemon.ApiServer} serves them on the node's socket, {@link dev.caisson.daemon.Calls}
 * hands each call to what does it.
 *
 * <p>Containers: {@link dev.caisson.daemon.NodeContainers} makes and changes them, {@link
 * dev.caisson.daemon.ContainerStreams} moves what goes in and out, {@link
 * dev.caisson.daemon.ContainerEnds} hears of their ends, {@link dev.caisson.daemon.ContainerViews}
 * looks. All four find them through {@link dev.caisson.daemon.KnownContainers}. Images: {@link
 * dev.caisson.daemon.NodeImages}, and {@link dev.caisson.daemon.NodeRegistries} for those of other
 * machines.
 */
package dev.caisson.daemon;
