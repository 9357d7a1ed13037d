package dev.caisson.oci;

/** Names of processor architectures. */
public final class Architecture {
  private Architecture() {}

  /** This machine's in Go's words, which image platforms use. */
  public static String own() {
    var name = System.getProperty("os.arch");
    return switch (name) {
      case "aarch64" -> "arm64";
      case "x86_64" -> "amd64";
      default -> name;
    };
  }
}
