/** The command line: each command translated to calls of the library. */
module dev.caisson.cli {
  requires dev.caisson.library;
  requires static org.jspecify;
}
