package dev.caisson.system;

import java.nio.file.Path;

/** The folder that is installed, as module {@code dist} assembled it. */
public final class Installed {

  /** Its top, with {@code bin}, {@code lib} and {@code aot}. */
  public static final Path HOME = Path.of(System.getProperty("caisson.home")).normalize();

  private Installed() {}

  /** One of its programs. */
  public static Path program(String name) {
    return HOME.resolve("bin").resolve(name);
  }
}
