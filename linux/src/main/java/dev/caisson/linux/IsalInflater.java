package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.Deflater;

/**
 * Unpacks deflate data with Intel's isa-l, about twice as fast as the JDK, where the machine has
 * it.
 *
 * <p>Its state is a C structure without accessors, so exactly the release whose layout is known is
 * used, and only after it has unpacked a sample right. State of 2.30, 87,368 bytes: next_out 0,
 * avail_out 8, next_in 16, avail_in 32, bits read ahead 36, block_state 21160. Source: igzip_lib.h.
 * For one thread.
 */
public final class IsalInflater implements AutoCloseable {
  private static final String LIBRARY = "libisal.so.2";
  private static final String KNOWN_RELEASE = "/libisal.so.2.0.30";
  private static final long STATE_SIZE = 87_368;
  private static final long NEXT_OUT = 0;
  private static final long AVAILABLE_OUT = 8;
  private static final long NEXT_IN = 16;
  private static final long AVAILABLE_IN = 32;
  private static final long BITS_AHEAD = 36;
  private static final long BLOCK_STATE = 21_160;
  private static final int BLOCK_FINISH = 5;
  private static final int BUFFER = 256 * 1024;

  private static final Optional<Functions> FUNCTIONS = Functions.find();

  private final Functions functions;
  private final Arena memory = Arena.ofShared();
  private final MemorySegment state = memory.allocate(STATE_SIZE, 16);
  private final MemorySegment input = memory.allocate(BUFFER);
  private final MemorySegment output = memory.allocate(BUFFER);
  private int consumed;

  /** The two functions of the library that are used. */
  private record Functions(MethodHandle initialise, MethodHandle inflate) {
    @SuppressWarnings("restricted") // signatures as in igzip_lib.h
    static Optional<Functions> find() {
      try {
        var library = SymbolLookup.libraryLookup(LIBRARY, Arena.global());
        if (!Files.readString(Path.of("/proc/self/maps")).contains(KNOWN_RELEASE)) {
          return Optional.empty();
        }
        var linker = Linker.nativeLinker();
        var functions =
            new Functions(
                linker.downcallHandle(
                    library.findOrThrow("isal_inflate_init"), FunctionDescriptor.ofVoid(ADDRESS)),
                linker.downcallHandle(
                    library.findOrThrow("isal_inflate"), FunctionDescriptor.of(JAVA_INT, ADDRESS)));
        return functions.unpackASample() ? Optional.of(functions) : Optional.empty();
      } catch (IOException | RuntimeException e) {
        // Without it everything works, only slower.
        return Optional.empty();
      }
    }

    private boolean unpackASample() throws IOException {
      byte[] sample = new byte[3 * BUFFER];
      for (int i = 0; i < sample.length; i++) {
        sample[i] = (byte) (i * i >> 7);
      }
      byte[] packed = new byte[sample.length];
      var deflater = new Deflater(Deflater.BEST_SPEED, true);
      deflater.setInput(sample);
      deflater.finish();
      int length = deflater.deflate(packed);
      boolean complete = deflater.finished();
      deflater.end();
      byte[] unpacked = new byte[sample.length];
      try (var inflater = new IsalInflater(this)) {
        int in = 0;
        int out = 0;
        while (out < unpacked.length && !inflater.finished()) {
          int count =
              inflater.inflate(packed, in, Math.min(1000, length - in), unpacked, out, 50_000);
          in += inflater.consumed();
          out = out + count;
        }
        return complete && Arrays.equals(sample, unpacked);
      }
    }
  }

  private IsalInflater(Functions functions) {
    this.functions = functions;
    reset();
  }

  /** An inflater for raw deflate data; empty if the machine does not have the library. */
  public static Optional<IsalInflater> open() {
    return FUNCTIONS.map(IsalInflater::new);
  }

  /** Begins new data. */
  public void reset() {
    try {
      functions.initialise.invokeExact(state);
    } catch (Throwable e) {
      throw new IllegalStateException("call isal_inflate_init", e);
    }
  }

  /**
   * Unpacks from {@code source} into {@code target} as much as goes; {@link #consumed} tells how
   * much of {@code source} was used.
   *
   * @return bytes written to {@code target}; 0 if more input is needed or the data have ended
   * @throws IOException if the data are damaged
   */
  public int inflate(
      byte[] source, int sourceOffset, int sourceLength, byte[] target, int offset, int length)
      throws IOException {
    if (finished()) {
      consumed = 0;
      return 0;
    }
    int in = Math.min(sourceLength, BUFFER);
    int out = Math.min(Math.min(length, target.length - offset), BUFFER);
    MemorySegment.copy(source, sourceOffset, input, JAVA_BYTE, 0, in);
    state.set(ADDRESS, NEXT_IN, input);
    state.set(JAVA_INT, AVAILABLE_IN, in);
    state.set(ADDRESS, NEXT_OUT, output);
    state.set(JAVA_INT, AVAILABLE_OUT, out);
    int result = call();
    if (result < 0) {
      throw new IOException("damaged data: isal_inflate failed with " + result);
    }
    int produced = out - state.get(JAVA_INT, AVAILABLE_OUT);
    MemorySegment.copy(output, JAVA_BYTE, 0, target, offset, produced);
    consumed = in - state.get(JAVA_INT, AVAILABLE_IN);
    if (finished()) {
      // What it read ahead in whole bytes belongs to whatever follows the data.
      consumed -= state.get(JAVA_INT, BITS_AHEAD) / 8;
    }
    return produced;
  }

  private int call() {
    try {
      return (int) functions.inflate.invokeExact(state);
    } catch (Throwable e) {
      throw new IllegalStateException("call isal_inflate", e);
    }
  }

  /**
   * How many bytes of the last call's input were used. Negative if the data ended in bytes of an
   * earlier call that it had read ahead.
   */
  public int consumed() {
    return consumed;
  }

  /** Whether the data have come to their end. */
  public boolean finished() {
    return state.get(JAVA_INT, BLOCK_STATE) == BLOCK_FINISH;
  }

  @Override
  public void close() {
    memory.close();
  }
}
