/** The small parent process that outlives the daemon: reaps, restarts it, holds its descriptors. */
module dev.caisson.keeper {
  requires dev.caisson.linux;
  requires static org.jspecify;

  exports dev.caisson.keeper;
}
