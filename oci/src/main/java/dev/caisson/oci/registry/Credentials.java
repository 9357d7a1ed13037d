package dev.caisson.oci.registry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The logins that docker, podman and their like keep for a user. Files are read at each question,
 * so a login counts at once. Thread-safe.
 *
 * <p>In each file the helper for the host comes first, then the general store, then what stands in
 * the file itself; files are asked in the order given. A login belongs to one host and port.
 */
public final class Credentials {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Docker's own registry is kept under this name. */
  private static final String HUB_SERVER = "https://index.docker.io/v1/";

  private final List<Path> files;
  private final Map<String, String> environment;
  private final Duration patience;

  Credentials(List<Path> files, Map<String, String> environment, Duration patience) {
    this.files = List.copyOf(files);
    this.environment = Map.copyOf(environment);
    this.patience = patience;
  }

  /** No logins at all. */
  public static Credentials none() {
    return new Credentials(List.of(), Map.of(), PATIENCE);
  }

  /**
   * The logins of a user: {@code $REGISTRY_AUTH_FILE}, {@code $DOCKER_CONFIG/config.json} or {@code
   * ~/.docker/config.json}, then containers' {@code auth.json} in {@code $XDG_RUNTIME_DIR} and in
   * {@code ~/.config}.
   */
  public static Credentials of(Map<String, String> environment, Path home) {
    var files = new ArrayList<Path>();
    variable(environment, "REGISTRY_AUTH_FILE").ifPresent(file -> files.add(Path.of(file)));
    files.add(
        variable(environment, "DOCKER_CONFIG")
            .map(Path::of)
            .orElse(home.resolve(".docker"))
            .resolve("config.json"));
    variable(environment, "XDG_RUNTIME_DIR")
        .ifPresent(directory -> files.add(Path.of(directory, "containers", "auth.json")));
    files.add(home.resolve(".config").resolve("containers").resolve("auth.json"));
    return new Credentials(files, environment, PATIENCE);
  }

  private static Optional<String> variable(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /**
   * The login for a repository.
   *
   * @param registry host, with its port if it is not the usual one
   * @param warnings hears of broken entries and failing helpers, by file and key
   */
  Credential find(String registry, String repository, Consumer<String> warnings)
      throws InterruptedException {
    for (Path file : files) {
      var found = find(LoginFile.read(file, warnings), file, registry, repository, warnings);
      if (found.isPresent()) {
        return found.get();
      }
    }
    return new Credential.Anonymous();
  }

  private Optional<Credential> find(
      LoginFile login, Path file, String registry, String repository, Consumer<String> warnings)
      throws InterruptedException {
    String host = LoginFile.key(registry);
    for (String helper : List.of(login.helpers().getOrDefault(host, ""), login.store())) {
      var found =
          helper.isEmpty() ? Optional.<Credential>empty() : ask(helper, file, host, warnings);
      if (found.isPresent()) {
        return found;
      }
    }
    for (String key = host + "/" + repository; ; key = key.substring(0, key.lastIndexOf('/'))) {
      var found = Optional.ofNullable(login.logins().get(key));
      if (found.isPresent() || key.equals(host)) {
        return found;
      }
    }
  }

  private Optional<Credential> ask(String helper, Path file, String host, Consumer<String> warnings)
      throws InterruptedException {
    try {
      return new CredentialHelper(helper, patience, environment)
          .find(host.equals("docker.io") ? HUB_SERVER : host);
    } catch (CredentialHelper.HelperException e) {
      warnings.accept(
          "credential helper '"
              + helper
              + "' of '"
              + file
              + "' gave no login for '"
              + host
              + "': "
              + e.getMessage());
      return Optional.empty();
    }
  }
}
