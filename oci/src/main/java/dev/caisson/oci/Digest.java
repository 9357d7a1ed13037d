package dev.caisson.oci;

import dev.caisson.json.Inline;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Names content by its SHA-256: {@code sha256:} and 64 hexadecimal digits. */
@Inline
public record Digest(String value) {
  private static final Pattern FORM = Pattern.compile("sha256:[0-9a-f]{64}");
  private static final String PREFIX = "sha256:";

  /** Checks the form; throws IllegalArgumentException naming the value. */
  public Digest {
    if (!FORM.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "digest '" + value + "': wanted sha256: and 64 hexadecimal digits in small letters");
    }
  }

  /** Whether a text has the form of a digest. */
  public static boolean isDigest(String value) {
    return FORM.matcher(value).matches();
  }

  /** Of bytes. */
  public static Digest of(byte[] bytes) {
    return ofHash(algorithm().digest(bytes));
  }

  /** Of a finished SHA-256. */
  static Digest ofHash(byte[] hash) {
    return new Digest(PREFIX + HexFormat.of().formatHex(hash));
  }

  static MessageDigest algorithm() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The hexadecimal digits alone. */
  public String hex() {
    return value.substring(PREFIX.length());
  }

  @Override
  public String toString() {
    return value;
  }
}
