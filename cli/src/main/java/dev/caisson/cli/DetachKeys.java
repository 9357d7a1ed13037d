package dev.caisson.cli;

import java.util.Arrays;

/** The sequence of keys that leaves a container, found in what is typed. */
final class DetachKeys {
  /** Docker's. */
  static final String USUAL = "ctrl-p,ctrl-q";

  private static final String OTHER_CONTROLS = "@[\\]^_";

  private final byte[] keys;
  private int matched;

  /**
   * Reads keys in Docker's words: single letters, {@code ctrl-a} to {@code ctrl-z} and {@code
   * ctrl-@ [ \ ] ^ _}, with commas between; empty for none.
   */
  DetachKeys(String text) {
    var words = text.isEmpty() ? new String[0] : text.split(",", -1);
    keys = new byte[words.length];
    for (int i = 0; i < words.length; i++) {
      keys[i] = key(words[i], text);
    }
  }

  private static byte key(String word, String text) {
    if (word.length() == 1 && word.charAt(0) < 0x80) {
      return (byte) word.charAt(0);
    }
    if (word.length() == 6 && word.startsWith("ctrl-")) {
      char c = word.charAt(5);
      if ((c >= 'a' && c <= 'z') || OTHER_CONTROLS.indexOf(c) >= 0) {
        return (byte) (c & 0x1f);
      }
    }
    throw new UsageException(
        "option --detach-keys: '" + text + "' is not valid: say keys such as ctrl-p,ctrl-q or a,b");
  }

  /** What of the typed bytes goes on, and whether the sequence is complete. */
  record Passed(byte[] bytes, boolean detach) {}

  /** Takes typed bytes. Those that may be the beginning of the sequence are kept back. */
  Passed typed(byte[] bytes, int length) {
    if (keys.length == 0) {
      return new Passed(Arrays.copyOf(bytes, length), false);
    }
    var passed = new byte[length + keys.length];
    int count = 0;
    for (int i = 0; i < length; i++) {
      if (bytes[i] != keys[matched] && matched > 0) {
        System.arraycopy(keys, 0, passed, count, matched);
        count += matched;
        matched = 0;
      }
      if (bytes[i] != keys[matched]) {
        passed[count++] = bytes[i];
      } else if (++matched == keys.length) {
        return new Passed(Arrays.copyOf(passed, count), true);
      }
    }
    return new Passed(Arrays.copyOf(passed, count), false);
  }
}
