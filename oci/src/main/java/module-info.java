/** Images: references, registries, the content store, layers and snapshots. Knows no pods. */
module dev.caisson.oci {
  requires dev.caisson.json;
  requires dev.caisson.linux;
  requires org.apache.commons.compress;
  requires static org.jspecify;

  exports dev.caisson.oci;
}
