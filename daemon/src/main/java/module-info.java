/** caissond: puts engine, images and keeper together and serves them on the node's socket. */
module dev.caisson.daemon {
  requires dev.caisson.engine;
  requires dev.caisson.json;
  requires dev.caisson.keeper;
  requires dev.caisson.library;
  requires dev.caisson.linux;
  requires dev.caisson.oci;
  requires static org.jspecify;
}
