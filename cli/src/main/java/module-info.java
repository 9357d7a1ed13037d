/** The command line: each command translated to calls of the library. */
module dev.caisson.cli {
  requires dev.caisson.json;
  requires dev.caisson.library;
  requires dev.caisson.linux;
  requires info.picocli;
  requires jdk.unsupported;
  requires static org.jspecify;
}
