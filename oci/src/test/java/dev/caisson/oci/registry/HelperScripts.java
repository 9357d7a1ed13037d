package dev.caisson.oci.registry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** Credential helpers that are small shell scripts, in a directory that is first in a PATH. */
record HelperScripts(Path directory) {

  /** Makes {@code docker-credential-<name>}. */
  HelperScripts with(String name, String script) throws IOException {
    var file =
        Files.writeString(directory.resolve("docker-credential-" + name), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return this;
  }

  Map<String, String> environment() {
    return Map.of("PATH", directory + ":/usr/bin:/bin", "HELPER_HOME", directory.toString());
  }
}
