package dev.caisson.engine;

import java.util.regex.Pattern;

/** The rule all ids follow; it is containerd's identifier rule. */
final class Ids {
  private static final int LONGEST = 76;
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*");

  private Ids() {}

  static void check(String kind, String value) {
    if (value.length() > LONGEST || !FORM.matcher(value).matches()) {
      throw new IllegalArgumentException(
          kind
              + " id '"
              + value
              + "': use 1 to 76 letters and digits, joined by single '.', '_' or '-'");
    }
  }
}
