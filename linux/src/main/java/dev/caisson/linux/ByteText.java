package dev.caisson.linux;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * File names and link targets as strings without loss.
 *
 * <p>To the kernel a name is bytes. Those that are UTF-8 read as such; every byte that is not part
 * of valid UTF-8 becomes one of the lone surrogates U+DC80 to U+DCFF, and goes back to its byte on
 * the way to the kernel.
 */
public final class ByteText {
  private static final int ESCAPE = 0xDC00;

  private ByteText() {}

  /** The text of bytes that are UTF-8 in the main. */
  public static String decode(byte[] bytes) {
    var decoder = StandardCharsets.UTF_8.newDecoder();
    try {
      return decoder
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes))
          .toString();
    } catch (CharacterCodingException e) {
      return decodeWithEscapes(bytes);
    }
  }

  private static String decodeWithEscapes(byte[] bytes) {
    var decoder = StandardCharsets.UTF_8.newDecoder();
    var input = ByteBuffer.wrap(bytes);
    var output = CharBuffer.allocate(bytes.length);
    while (true) {
      var result = decoder.decode(input, output, true);
      if (!result.isError()) {
        return output.flip().toString();
      }
      for (int i = 0; i < result.length(); i++) {
        output.put((char) (ESCAPE + (input.get() & 0xFF)));
      }
      decoder.reset();
    }
  }

  /** The bytes that {@link #decode} made {@code text} from. */
  public static byte[] encode(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isEscape(text, i)) {
        return encodeWithEscapes(text);
      }
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static boolean isEscape(String text, int i) {
    char c = text.charAt(i);
    return c >= ESCAPE + 0x80
        && c <= ESCAPE + 0xFF
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }

  private static byte[] encodeWithEscapes(String text) {
    var bytes = new ByteArrayOutputStream(text.length() + 16);
    int plain = 0;
    for (int i = 0; i < text.length(); i++) {
      if (isEscape(text, i)) {
        bytes.writeBytes(text.substring(plain, i).getBytes(StandardCharsets.UTF_8));
        bytes.write(text.charAt(i) - ESCAPE);
        plain = i + 1;
      }
    }
    bytes.writeBytes(text.substring(plain).getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  /**
   * A C string.
   *
   * @throws IllegalArgumentException if the text contains a NUL, which no name can hold
   */
  public static MemorySegment allocate(SegmentAllocator memory, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "name '" + text.replace("\0", "\\0") + "' contains a NUL byte");
    }
    byte[] bytes = encode(text);
    MemorySegment copy = memory.allocate(bytes.length + 1L);
    MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, bytes.length);
    copy.set(ValueLayout.JAVA_BYTE, bytes.length, (byte) 0);
    return copy;
  }

  /** The text of the C string at the start of {@code memory}. */
  static String read(MemorySegment memory, long offset, long limit) {
    long end = offset;
    while (end < limit && memory.get(ValueLayout.JAVA_BYTE, end) != 0) {
      end++;
    }
    return decode(memory.asSlice(offset, end - offset).toArray(ValueLayout.JAVA_BYTE));
  }
}
