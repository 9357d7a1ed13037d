package dev.caisson.oci.registry;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.JsonLimits;
import dev.caisson.json.Name;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * A program {@code docker-credential-<name>} that keeps logins: given {@code get} and a server on
 * its input, it prints {@code {"Username": …, "Secret": …}}, or fails. Source: docker's
 * credential-helpers, README, "Development".
 *
 * @param name of the program, without its beginning
 * @param patience how long it may take
 * @param environment it runs with
 */
record CredentialHelper(String name, Duration patience, Map<String, String> environment) {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]*");
  private static final JsonLimits LIMITS = new JsonLimits(1 << 20, 10, 1000);

  /** How long what a helper printed may be on its way after its end. */
  private static final Duration AFTER_END = Duration.ofMillis(500);

  private static final int BUFFER = 8192;

  /** The name of a login that is an identity token. */
  private static final String TOKEN_USER = "<token>";

  private static final String NOTHING_KEPT = "credentials not found";

  private record Login(@Name("Username") String user, @Name("Secret") String secret) {}

  /** Why a helper gave no answer; never tells what it printed. */
  static final class HelperException extends Exception {
    private static final long serialVersionUID = 1L;

    HelperException(String message) {
      super(message);
    }
  }

  /** The login kept for a server; empty if there is none. */
  Optional<Credential> find(String server) throws HelperException, InterruptedException {
    if (!FORM.matcher(name).matches()) {
      throw new HelperException("'" + name + "' is not the name of a helper");
    }
    var process = start();
    try (var in = process.getInputStream()) {
      var printed = new Printed(in);
      write(process, server);
      return answer(status(process, printed), printed.await(AFTER_END));
    } catch (IOException e) {
      throw new HelperException("it cannot be read");
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** Waits for its end, or for more than an answer may have. */
  private int status(Process process, Printed printed)
      throws HelperException, InterruptedException {
    try {
      CompletableFuture.anyOf(process.onExit(), printed.tooMuch())
          .get(patience.toNanos(), TimeUnit.NANOSECONDS);
      if (printed.tooMuch().isDone()) {
        throw new HelperException("it prints more than " + LIMITS.bytes() + " bytes");
      }
      return process.exitValue();
    } catch (TimeoutException e) {
      throw new HelperException("no answer within " + patience.toMillis() + " ms");
    } catch (ExecutionException e) {
      throw new HelperException("it cannot be read");
    }
  }

  /**
   * What a helper prints. Some start an agent that lives on with their output still open; so the
   * end of the helper counts, not that of its output.
   */
  private static final class Printed {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<Void> tooMuch = new CompletableFuture<>();
    private final Thread reader;

    Printed(InputStream in) {
      reader = Thread.ofPlatform().daemon().name("credential-helper").start(() -> read(in));
    }

    private void read(InputStream in) {
      byte[] buffer = new byte[BUFFER];
      try {
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
          bytes.write(buffer, 0, count);
          if (bytes.size() > LIMITS.bytes()) {
            tooMuch.complete(null);
            return;
          }
        }
      } catch (IOException e) {
        // Closed by who no longer wants to know.
        return;
      }
    }

    CompletableFuture<Void> tooMuch() {
      return tooMuch;
    }

    byte[] await(Duration patience) throws InterruptedException {
      reader.join(patience);
      return bytes.toByteArray();
    }
  }

  private Process start() throws HelperException {
    try {
      var builder = new ProcessBuilder(program().toString(), "get");
      builder.environment().clear();
      builder.environment().putAll(environment);
      builder.redirectError(ProcessBuilder.Redirect.DISCARD);
      return builder.start();
    } catch (IOException e) {
      throw new HelperException("it cannot be started; is it installed?");
    }
  }

  /** Found in the PATH it will run with, which is not always ours. */
  private Path program() throws HelperException {
    String file = "docker-credential-" + name;
    for (String directory : environment.getOrDefault("PATH", "").split(":")) {
      var candidate = Path.of(directory, file);
      if (!directory.isEmpty() && Files.isExecutable(candidate)) {
        return candidate;
      }
    }
    throw new HelperException("there is no '" + file + "' in the PATH; is it installed?");
  }

  private static void write(Process process, String server) {
    try (var out = process.getOutputStream()) {
      out.write((server + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // It answered without reading; its answer tells what it is worth.
      return;
    }
  }

  private static Optional<Credential> answer(int status, byte[] answer) throws HelperException {
    if (status != 0) {
      if (new String(answer, StandardCharsets.UTF_8).contains(NOTHING_KEPT)) {
        return Optional.empty();
      }
      throw new HelperException("it ended with status " + status);
    }
    Login login;
    try {
      login = Json.read(answer, Login.class, "", LIMITS);
    } catch (JsonException e) {
      throw new HelperException("its answer is not the JSON that was wanted");
    }
    if (login.secret().isEmpty()) {
      throw new HelperException("its answer has no secret");
    }
    return Optional.of(
        login.user().equals(TOKEN_USER)
            ? new Credential.IdentityToken(login.secret())
            : new Credential.Password(login.user(), login.secret()));
  }
}
