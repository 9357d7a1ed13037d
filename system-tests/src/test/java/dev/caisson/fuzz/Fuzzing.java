package dev.caisson.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Good inputs of a parser, changed at random. The parser may read them or refuse them in the way it
 * says; anything else, or memory beyond any proportion, fails with the seed that makes the same
 * input again: {@code make fuzz FUZZ_SEED=seed}.
 *
 * <p>Without {@code caisson.fuzz.seconds} each group is the same few hundred inputs every time, so
 * that it can run with all other tests.
 */
public final class Fuzzing {
  private static final int USUAL_ROUNDS = 500;
  private static final int MOST_CHANGES = 6;
  private static final int LARGEST_INPUT = 1 << 20;
  private static final int SHOWN = 400;
  private static final long MOST_MEMORY = 64 << 20;
  private static final long MEMORY_FOR_A_BYTE = 2_000;

  /** Bytes that mean something to one parser or another. */
  private static final byte[] TELLING = bytes("\0\1\377{}[]\":,\\/.-+=@%$ \t\r\n09azAZ~\u00e9");

  private static final List<byte[]> TELLING_PARTS =
      List.of(
          bytes("-1"),
          bytes("99999999999999999999"),
          bytes("9223372036854775807"),
          bytes("1e999"),
          bytes("null"),
          bytes("../"),
          bytes("%s%n"),
          bytes("\u202e"),
          bytes("{{.}}"),
          bytes("\"\":"),
          new byte[] {(byte) 0x80},
          new byte[512]);

  private final String group;
  private final List<byte[]> good;
  private final List<Class<?>> refusals;

  private Fuzzing(String group, List<byte[]> good, List<Class<?>> refusals) {
    this.group = group;
    this.good = List.copyOf(good);
    this.refusals = List.copyOf(refusals);
  }

  /** What is tried. */
  public interface Parser {
    void read(byte[] input) throws Exception;
  }

  /**
   * A group of inputs.
   *
   * @param group its name in reports
   * @param good what the parser reads
   */
  public static Fuzzing of(String group, List<byte[]> good) {
    return new Fuzzing(group, good, List.of());
  }

  /** A group of inputs that are text. */
  public static Fuzzing ofTexts(String group, String... good) {
    return of(group, Arrays.stream(good).map(Fuzzing::bytes).toList());
  }

  /** With the failures that are documented. */
  public Fuzzing refusedBy(Class<?>... documented) {
    return new Fuzzing(group, good, List.of(documented));
  }

  /** Tries a parser that reads text. */
  public void texts(Consumer<String> parser) {
    run(input -> parser.accept(text(input)));
  }

  /** Tries a parser. */
  public void run(Parser parser) {
    for (var input : good) {
      readGood(parser, input);
    }
    var seed = Long.getLong("caisson.fuzz.seed");
    if (seed != null) {
      readChanged(parser, seed);
      return;
    }
    var seconds = Long.getLong("caisson.fuzz.seconds");
    if (seconds == null) {
      for (long i = 0; i < USUAL_ROUNDS; i++) {
        readChanged(parser, i);
      }
      return;
    }
    long first = System.currentTimeMillis() << 20;
    long count = 0;
    for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        System.nanoTime() < end; ) {
      readChanged(parser, first + count++);
    }
    System.out.println("fuzz: " + group + ": " + count + " inputs from seed " + first);
  }

  private void readGood(Parser parser, byte[] input) {
    try {
      parser.read(input);
    } catch (Exception e) {
      throw new AssertionError(group + ": a good input is refused: " + shown(input), e);
    }
  }

  private void readChanged(Parser parser, long seed) {
    var input = change(new Random(seed));
    long allowed = MOST_MEMORY + MEMORY_FOR_A_BYTE * input.length;
    long before = allocated();
    try {
      parser.read(input);
    } catch (Exception | StackOverflowError | OutOfMemoryError e) {
      if (refusals.stream().noneMatch(documented -> documented.isInstance(e))) {
        throw new AssertionError(group + ", seed " + seed + ": " + shown(input), e);
      }
    }
    long taken = allocated() - before;
    if (taken > allowed) {
      throw new AssertionError(
          "%s, seed %d: %d bytes of memory for an input of %d: %s"
              .formatted(group, seed, taken, input.length, shown(input)));
    }
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  private byte[] change(Random random) {
    var input = pick(random).clone();
    for (int i = random.nextInt(1, MOST_CHANGES + 1); i > 0; i--) {
      input = changeOnce(input, random);
    }
    return input.length > LARGEST_INPUT ? Arrays.copyOf(input, LARGEST_INPUT) : input;
  }

  private byte[] changeOnce(byte[] input, Random random) {
    int at = random.nextInt(input.length + 1);
    int to = at + random.nextInt(Math.min(input.length - at, 64) + 1);
    return switch (random.nextInt(9)) {
      case 0 -> replaced(input, at, to, new byte[0]);
      case 1 -> Arrays.copyOf(input, at);
      case 2 -> replaced(input, at, at, Arrays.copyOfRange(input, at, to));
      case 3 -> replaced(input, at, to, TELLING_PARTS.get(random.nextInt(TELLING_PARTS.size())));
      case 4 -> {
        var other = pick(random);
        int from = random.nextInt(other.length + 1);
        yield replaced(input, at, to, Arrays.copyOfRange(other, from, other.length));
      }
      case 5 -> {
        var many = new byte[random.nextInt(1, 5_000)];
        Arrays.fill(many, TELLING[random.nextInt(TELLING.length)]);
        yield replaced(input, at, at, many);
      }
      case 6 -> replaced(input, at, at, new byte[] {TELLING[random.nextInt(TELLING.length)]});
      default -> {
        if (at < input.length) {
          input[at] =
              random.nextBoolean()
                  ? (byte) (input[at] ^ 1 << random.nextInt(8))
                  : TELLING[random.nextInt(TELLING.length)];
        }
        yield input;
      }
    };
  }

  private byte[] pick(Random random) {
    return good.get(random.nextInt(good.size()));
  }

  private static byte[] replaced(byte[] input, int from, int to, byte[] by) {
    var result = Arrays.copyOf(input, input.length - (to - from) + by.length);
    System.arraycopy(by, 0, result, from, by.length);
    System.arraycopy(input, to, result, from + by.length, input.length - to);
    return result;
  }

  private static String shown(byte[] input) {
    var text = new StringBuilder();
    for (int i = 0; i < Math.min(input.length, SHOWN); i++) {
      char c = (char) (input[i] & 0xff);
      text.append(c >= ' ' && c < 0x7f ? String.valueOf(c) : "\\x%02x".formatted((int) c));
    }
    return input.length > SHOWN ? text + "... (" + input.length + " bytes)" : text.toString();
  }

  /** Bytes of a text. */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Text of bytes, whatever they are. */
  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
