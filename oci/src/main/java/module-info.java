/** Images: references, registries, the content store, layers and snapshots. Knows no pods. */
module dev.caisson.oci {
  requires com.github.luben.zstd_jni;
  requires dev.caisson.json;
  requires dev.caisson.linux;
  requires java.net.http;
  requires static org.jspecify;

  exports dev.caisson.oci;
  exports dev.caisson.oci.registry;
}
