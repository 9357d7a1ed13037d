package dev.caisson.oci;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What an image runs on, in Go's words, and the choice of an image from a list by it.
 *
 * <p>A missing variant means the base one: {@code v8} of arm64, {@code v1} of amd64, and {@code v7}
 * of arm, as containerd has it. Source: OCI image specification, image-index.md, platform.
 *
 * @param os operating system: {@code linux}
 * @param architecture for example {@code amd64}
 * @param variant of the architecture, for example {@code v7}; "" where it has none
 */
public record Platform(String os, String architecture, String variant) {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_.-]+");
  private static final Pattern VERSION = Pattern.compile("v([0-9]{1,4})(?:\\.([0-9]{1,3}))?");
  private static final int MINORS = 1000;
  private static final Map<String, String> BASE_VARIANTS =
      Map.of("arm64", "v8", "arm", "v7", "amd64", "v1");
  private static final Map<String, String> OTHER_NAMES =
      Map.of("x86_64", "amd64", "x86-64", "amd64", "aarch64", "arm64", "armhf", "arm");
  private static final String UNKNOWN = "unknown";

  /** Checks the form of each part, and completes the variant. */
  public Platform {
    require(os, "os");
    require(architecture, "architecture");
    architecture = OTHER_NAMES.getOrDefault(architecture, architecture);
    if (variant.isEmpty()) {
      variant = BASE_VARIANTS.getOrDefault(architecture, "");
    } else {
      require(variant, "variant");
      variant = Character.isDigit(variant.charAt(0)) ? "v" + variant : variant;
    }
  }

  private static void require(String value, String part) {
    if (!FORM.matcher(value).matches()) {
      throw new IllegalArgumentException(
          part + " '" + value + "' of a platform: wanted a form such as 'linux/arm64/v8'");
    }
  }

  /** This machine's. */
  public static Platform own() {
    return new Platform("linux", Architecture.own(), "");
  }

  /**
   * Reads {@code os/architecture[/variant]}.
   *
   * @throws IllegalArgumentException naming the part that is wrong
   */
  public static Platform parse(String text) {
    var parts = text.split("/", -1);
    if (parts.length < 2 || parts.length > 3 || (parts.length == 3 && parts[2].isEmpty())) {
      throw new IllegalArgumentException(
          "platform '" + text + "': wanted os/architecture[/variant], such as 'linux/arm64/v8'");
    }
    return new Platform(parts[0], parts[1], parts.length == 3 ? parts[2] : "");
  }

  /** What a list says of one of its images; empty if it says nothing, or "unknown". */
  public static Optional<Platform> of(Descriptor descriptor) {
    if (!(descriptor.others().get("platform") instanceof Map<?, ?> platform)) {
      return Optional.empty();
    }
    var os = text(platform, "os");
    var architecture = text(platform, "architecture");
    return os.isEmpty() || architecture.isEmpty()
        ? Optional.empty()
        : Optional.of(new Platform(os, architecture, text(platform, "variant")));
  }

  private static String text(Map<?, ?> platform, String key) {
    return platform.get(key) instanceof String value && FORM.matcher(value).matches() ? value : "";
  }

  /** What a config says of its image. */
  public static Optional<Platform> of(ImageConfig config) {
    return FORM.matcher(config.os()).matches() && FORM.matcher(config.architecture()).matches()
        ? Optional.of(
            new Platform(
                config.os(),
                config.architecture(),
                config.others().get("variant") instanceof String variant
                        && FORM.matcher(variant).matches()
                    ? variant
                    : ""))
        : Optional.empty();
  }

  /** Whether an image for another platform runs here. */
  public boolean accepts(Platform offered) {
    return fit(offered).isPresent();
  }

  /** How well an image for another platform runs here: more is better; empty if it does not. */
  OptionalInt fit(Platform offered) {
    if (!os.equals(offered.os) || !architecture.equals(offered.architecture)) {
      return OptionalInt.empty();
    }
    if (variant.equals(offered.variant)) {
      return OptionalInt.of(Integer.MAX_VALUE);
    }
    var here = VERSION.matcher(variant);
    var there = VERSION.matcher(offered.variant);
    if (!here.matches() || !there.matches()) {
      return OptionalInt.empty();
    }
    int version = version(there);
    return version <= version(here) ? OptionalInt.of(version) : OptionalInt.empty();
  }

  private static int version(MatchResult variant) {
    return Integer.parseInt(variant.group(1)) * MINORS
        + (variant.group(2) == null ? 0 : Integer.parseInt(variant.group(2)));
  }

  /**
   * What of a list may be taken for this platform, the best first: never above it, and whatever the
   * order of the list. Of two that fit alike the first in the list comes first. Last come those of
   * which the list does not tell the platform.
   */
  public List<Descriptor> choices(List<Descriptor> offered) {
    return offered.stream()
        .filter(each -> rank(each) >= 0)
        .sorted(Comparator.comparingInt(this::rank).reversed())
        .toList();
  }

  /** -1 for what does not run here, 0 for what tells nothing. */
  private int rank(Descriptor offered) {
    if (!(offered.others().get("platform") instanceof Map<?, ?> platform)) {
      return 0;
    }
    if (UNKNOWN.equals(platform.get("os")) || UNKNOWN.equals(platform.get("architecture"))) {
      return -1;
    }
    var fit = of(offered).map(this::fit).orElse(OptionalInt.empty());
    return fit.isPresent() ? Math.max(1, fit.getAsInt()) : -1;
  }

  @Override
  public String toString() {
    return os + "/" + architecture + (variant.isEmpty() ? "" : "/" + variant);
  }
}
