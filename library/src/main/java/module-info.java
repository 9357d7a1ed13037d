/** The public Java API and the client that speaks to the node's daemon. JDK types only. */
module dev.caisson.library {
  requires dev.caisson.json;
  requires static org.jspecify;

  exports dev.caisson.library;
  exports dev.caisson.library.protocol to
      dev.caisson.daemon,
      dev.caisson.json;
}
