package dev.caisson.oci.registry;

import dev.caisson.oci.Descriptor;
import dev.caisson.oci.ImageException;
import dev.caisson.oci.Intake;
import dev.caisson.oci.PartialBlob;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Gets one blob into the store: goes on where an earlier try or an earlier program broke off, asks
 * the hosts in order, and takes in nothing that is not what its descriptor says. For one thread.
 */
final class Download {
  /** A try that brought as much does not count as failed. */
  private static final long ENOUGH = 1 << 20;

  private static final Pattern RANGE =
      Pattern.compile("bytes (\\d{1,18})-\\d{1,18}/(?:\\d{1,18}|\\*)");

  private final Descriptor blob;
  private final List<Host> hosts;
  private final Transport transport;
  private final Meter meter;

  /**
   * A host that may have the blob.
   *
   * @param origin which
   * @param retries how long it is asked
   * @param question how it is asked
   */
  record Host(Origin origin, Retries retries, Question question) {}

  /** Asks a host for the blob, once. */
  interface Question {
    Answer from(long position) throws IOException, InterruptedException;
  }

  /** The host does not send what it began to; a further try may go on. */
  private static final class BrokenOffException extends Exception {
    private static final long serialVersionUID = 1L;

    private final IOException trouble;

    BrokenOffException(IOException trouble) {
      super(trouble);
      this.trouble = trouble;
    }
  }

  Download(Descriptor blob, List<Host> hosts, Transport transport, Meter meter) {
    this.blob = blob;
    this.hosts = hosts;
    this.transport = transport;
    this.meter = meter;
  }

  /**
   * Does it; returns at once when the blob is there.
   *
   * @throws ImageException {@code NOT_FOUND}, {@code INVALID}, {@code UNAVAILABLE}, {@code DENIED}
   * @throws IOException of the store
   */
  void run(Intake intake) throws IOException, InterruptedException {
    if (intake.keep(blob)) {
      meter.enter(Transfer.Phase.EXISTS, 0);
      return;
    }
    meter.enter(Transfer.Phase.WAITING, 0);
    try (var partial = intake.partial(blob.digest())) {
      // Somebody else may have been at it, for whom this waited.
      if (intake.keep(blob)) {
        meter.enter(Transfer.Phase.EXISTS, 0);
        return;
      }
      RegistryClient.first(
          hosts,
          host -> {
            from(host, partial);
            return partial;
          });
    }
  }

  private void from(Host host, PartialBlob partial) throws IOException, InterruptedException {
    for (int failed = 0; ; ) {
      if (partial.position() > blob.size()) {
        partial.restart();
      }
      long before = partial.position();
      try {
        if (before < blob.size() || blob.size() == 0) {
          receive(host, partial);
        }
        if (isComplete(host, partial)) {
          return;
        }
      } catch (BrokenOffException e) {
        failed = partial.position() - before >= ENOUGH ? 1 : failed + 1;
        if (failed >= host.retries().tries()) {
          throw Transport.unavailable(host.origin(), e.trouble);
        }
        transport.pause(host.origin(), failed, host.retries(), e.trouble);
      }
    }
  }

  private void receive(Host host, PartialBlob partial)
      throws IOException, InterruptedException, BrokenOffException {
    long position = partial.position();
    meter.enter(Transfer.Phase.DOWNLOADING, position);
    try (var answer =
        transport.repeat(host.origin(), host.retries(), () -> host.question().from(position))) {
      switch (answer.status()) {
        case Answer.OK -> {
          if (position > 0) {
            partial.restart();
          }
        }
        case Answer.PARTIAL -> {
          if (start(answer) != position) {
            partial.restart();
            throw new BrokenOffException(new IOException("it sends another range than asked for"));
          }
        }
        case Answer.WRONG_RANGE -> {
          partial.restart();
          throw new BrokenOffException(new IOException("it does not know the range asked for"));
        }
        default -> throw answer.failure("get blob '" + blob.digest() + "'");
      }
      copy(answer, partial);
    }
    if (partial.position() < blob.size()) {
      throw new BrokenOffException(
          new IOException(
              "it ended after " + partial.position() + " of " + blob.size() + " bytes"));
    }
  }

  private static long start(Answer answer) {
    var range = RANGE.matcher(answer.header("Content-Range").orElse(""));
    return range.matches() ? Long.parseLong(range.group(1)) : -1;
  }

  private void copy(Answer answer, PartialBlob partial)
      throws IOException, InterruptedException, BrokenOffException {
    while (true) {
      Optional<List<ByteBuffer>> pieces;
      try {
        pieces = answer.body().next();
      } catch (IOException e) {
        throw new BrokenOffException(e);
      }
      if (pieces.isEmpty()) {
        return;
      }
      long length = pieces.get().stream().mapToLong(ByteBuffer::remaining).sum();
      if (partial.position() + length > blob.size()) {
        partial.restart();
        throw wrong(answer, "is longer than the " + blob.size() + " bytes of its descriptor");
      }
      partial.append(pieces.get());
      meter.advance(Transfer.Phase.DOWNLOADING, partial.position());
    }
  }

  /** False if all has to come again, because an earlier program left something wrong. */
  private boolean isComplete(Host host, PartialBlob partial) throws IOException {
    boolean continued = partial.isContinued();
    meter.enter(Transfer.Phase.VERIFYING, partial.position());
    if (partial.complete()) {
      return true;
    }
    if (continued) {
      return false;
    }
    throw new ImageException(
        ImageException.Kind.INVALID,
        "get blob '" + blob.digest() + "'",
        "what '" + host.origin().authority() + "' sends has another digest",
        "");
  }

  private ImageException wrong(Answer answer, String found) {
    return new ImageException(
        ImageException.Kind.INVALID,
        "get blob '" + blob.digest() + "'",
        "what '" + Origin.of(answer.address()).authority() + "' sends " + found,
        "");
  }
}
