package dev.caisson.oci;

import dev.caisson.linux.IsalInflater;
import java.io.IOException;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Unpacks raw deflate data with what this machine has. For one thread at a time. */
sealed interface RawInflation extends AutoCloseable {
  /** The fastest way there is here. */
  static RawInflation open() {
    return IsalInflater.open().<RawInflation>map(Isal::new).orElseGet(Jdk::new);
  }

  /** Begins new data. */
  void reset();

  /**
   * Unpacks as much as goes; {@link #consumed} tells how much of the input was used.
   *
   * @return bytes produced, 0 if more input is needed or the data have ended
   */
  int inflate(byte[] input, int at, int length, byte[] target, int offset, int space)
      throws IOException;

  /**
   * Bytes of the last input used, at most {@value #READ_AHEAD} less than none if the data ended in
   * those before.
   */
  int consumed();

  boolean finished();

  @Override
  void close();

  /** How many bytes of earlier input may turn out not to belong to the data. */
  int READ_AHEAD = 8;

  /** The JDK's. */
  final class Jdk implements RawInflation {
    private final Inflater inflater = new Inflater(true);
    private int consumed;

    @Override
    public void reset() {
      inflater.reset();
    }

    @Override
    public int inflate(byte[] input, int at, int length, byte[] target, int offset, int space)
        throws IOException {
      inflater.setInput(input, at, length);
      try {
        int count = inflater.inflate(target, offset, space);
        consumed = length - inflater.getRemaining();
        if (count == 0 && inflater.needsDictionary()) {
          throw new IOException("it asks for a dictionary");
        }
        return count;
      } catch (DataFormatException e) {
        throw new IOException("damaged data: " + e.getMessage(), e);
      }
    }

    @Override
    public int consumed() {
      return consumed;
    }

    @Override
    public boolean finished() {
      return inflater.finished();
    }

    @Override
    public void close() {
      inflater.end();
    }
  }

  /** Intel's, about twice as fast. */
  record Isal(IsalInflater inflater) implements RawInflation {
    @Override
    public void reset() {
      inflater.reset();
    }

    @Override
    public int inflate(byte[] input, int at, int length, byte[] target, int offset, int space)
        throws IOException {
      return inflater.inflate(input, at, length, target, offset, space);
    }

    @Override
    public int consumed() {
      return inflater.consumed();
    }

    @Override
    public boolean finished() {
      return inflater.finished();
    }

    @Override
    public void close() {
      inflater.close();
    }
  }
}
