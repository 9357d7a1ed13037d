/**
 * Linux calls through java.lang.foreign: files, mounts, processes, cgroups, sockets, terminals. No
 * pod words.
 */
module dev.caisson.linux {
  requires static org.jspecify;

  exports dev.caisson.linux;
}
