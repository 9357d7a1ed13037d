package dev.caisson.oci;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The full name of an image: {@code registry/repository[:tag][@digest]}.
 *
 * <p>Short names are completed as Docker does: {@code busybox} is {@code
 * docker.io/library/busybox:latest}. Source: the grammar of the distribution project's reference
 * package.
 *
 * @param registry host with an optional port, for example "docker.io" or "localhost:5000"
 * @param repository path at the registry
 * @param tag empty if there is only a digest
 * @param digest of what is meant, empty if the tag decides
 */
public record Reference(
    String registry, String repository, Optional<String> tag, Optional<Digest> digest) {
  private static final String DEFAULT_REGISTRY = "docker.io";
  private static final Pattern REGISTRY =
      Pattern.compile(
          "[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?|\\[[0-9A-Fa-f:]+](?::[0-9]+)?");
  private static final Pattern COMPONENT = Pattern.compile("[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*");
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");
  private static final int LONGEST_REPOSITORY = 255;

  /** Checks the form of each part; throws IllegalArgumentException naming it. */
  public Reference {
    require(REGISTRY.matcher(registry).matches(), "registry", registry);
    require(
        !repository.isEmpty() && repository.length() <= LONGEST_REPOSITORY,
        "repository",
        repository);
    for (String component : repository.split("/", -1)) {
      require(COMPONENT.matcher(component).matches(), "repository", repository);
    }
    tag.ifPresent(value -> require(TAG.matcher(value).matches(), "tag", value));
  }

  private static void require(boolean holds, String part, String value) {
    if (!holds) {
      throw new IllegalArgumentException(
          part
              + " '"
              + value
              + "' of an image name has not the form it should have, for example"
              + " 'registry.example:5000/team/app:1.2'");
    }
  }

  /**
   * Reads a name, completing what is missing.
   *
   * @throws IllegalArgumentException naming the part that is wrong
   */
  public static Reference parse(String text) {
    String rest = text;
    var digest = Optional.<Digest>empty();
    int at = rest.indexOf('@');
    if (at >= 0) {
      digest = Optional.of(new Digest(rest.substring(at + 1)));
      rest = rest.substring(0, at);
    }
    var tag = Optional.<String>empty();
    int colon = rest.lastIndexOf(':');
    if (colon > rest.lastIndexOf('/')) {
      tag = Optional.of(rest.substring(colon + 1));
      rest = rest.substring(0, colon);
    }
    if (tag.isEmpty() && digest.isEmpty()) {
      tag = Optional.of("latest");
    }
    int slash = rest.indexOf('/');
    String first = slash < 0 ? "" : rest.substring(0, slash);
    boolean hasRegistry =
        first.indexOf('.') >= 0 || first.indexOf(':') >= 0 || first.equals("localhost");
    String registry = hasRegistry ? first : DEFAULT_REGISTRY;
    String repository = hasRegistry ? rest.substring(slash + 1) : rest;
    if (registry.equals("index." + DEFAULT_REGISTRY)) {
      registry = DEFAULT_REGISTRY;
    }
    if (registry.equals(DEFAULT_REGISTRY) && repository.indexOf('/') < 0) {
      repository = "library/" + repository;
    }
    return new Reference(registry, repository, tag, digest);
  }

  /** The full name. */
  @Override
  public String toString() {
    return registry
        + "/"
        + repository
        + tag.map(value -> ":" + value).orElse("")
        + digest.map(value -> "@" + value).orElse("");
  }
}
