package dev.caisson.oci.registry;

import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.json.JsonLimits;
import dev.caisson.json.Name;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
      var output =
          CompletableFuture.supplyAsync(
              () -> readAll(in), task -> Thread.ofVirtual().name("helper").start(task));
      write(process, server);
      byte[] answer = output.get(patience.toNanos(), TimeUnit.NANOSECONDS);
      if (answer.length > LIMITS.bytes()) {
        throw new HelperException("its answer is longer than " + LIMITS.bytes() + " bytes");
      }
      if (!process.waitFor(patience)) {
        throw tooLate();
      }
      return answer(process.exitValue(), answer);
    } catch (TimeoutException e) {
      throw tooLate();
    } catch (ExecutionException | IOException e) {
      throw new HelperException("it cannot be read");
    } finally {
      // Its children too: one that keeps our pipe would keep the reader.
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private HelperException tooLate() {
    return new HelperException("no answer within " + patience.toMillis() + " ms");
  }

  private Process start() throws HelperException {
    try {
      var builder = new ProcessBuilder(program());
      builder.environment().clear();
      builder.environment().putAll(environment);
      builder.redirectError(ProcessBuilder.Redirect.DISCARD);
      return builder.start();
    } catch (IOException e) {
      throw new HelperException("it cannot be started; is it installed?");
    }
  }

  /** Found in the PATH it will run with, which is not always ours. */
  private String[] program() {
    String file = "docker-credential-" + name;
    for (String directory : environment.getOrDefault("PATH", "").split(":")) {
      var candidate = java.nio.file.Path.of(directory, file);
      if (!directory.isEmpty() && java.nio.file.Files.isExecutable(candidate)) {
        return new String[] {candidate.toString(), "get"};
      }
    }
    return new String[] {file, "get"};
  }

  private static void write(Process process, String server) {
    try (var out = process.getOutputStream()) {
      out.write((server + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // It answered without reading; its answer tells what it is worth.
      return;
    }
  }

  private static byte[] readAll(java.io.InputStream in) {
    try {
      return in.readNBytes(LIMITS.bytes() + 1);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
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
