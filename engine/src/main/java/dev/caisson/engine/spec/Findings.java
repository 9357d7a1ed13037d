package dev.caisson.engine.spec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Collects what a check finds. */
final class Findings {
  static final long LARGEST_32_BITS = 0xffff_ffffL;

  /** The last id; the one above it means none. */
  static final long LARGEST_ID = LARGEST_32_BITS - 1;

  private static final Pattern NUMBER_LIST =
      Pattern.compile("\\d+(-\\d+)?(:\\d+/\\d+)?(,\\d+(-\\d+)?(:\\d+/\\d+)?)*");
  private static final int LONGEST_QUOTED = 60;

  private final List<Finding> errors = new ArrayList<>();
  private final List<Finding> warnings = new ArrayList<>();

  List<Finding> errors() {
    return List.copyOf(errors);
  }

  List<Finding> warnings() {
    return List.copyOf(warnings);
  }

  void error(String path, String problem) {
    errors.add(new Finding(path, problem));
  }

  void warning(String path, String problem) {
    warnings.add(new Finding(path, problem));
  }

  void wrong(String path, String found, String wanted) {
    error(path, "found '" + quoted(found) + "', wanted " + wanted);
  }

  void wrong(String path, long found, String wanted) {
    error(path, "found " + found + ", wanted " + wanted);
  }

  private static String quoted(String text) {
    var visible = text.replace("\0", "\\0");
    return visible.length() <= LONGEST_QUOTED
        ? visible
        : visible.substring(0, LONGEST_QUOTED) + "…";
  }

  /** Text that must be there and fit into a C string. */
  boolean given(String path, String value, String wanted) {
    if (value.isEmpty()) {
      error(path, "missing, wanted " + wanted);
      return false;
    }
    return plain(path, value);
  }

  /** What is written to the kernel ends at the first NUL, unseen. */
  boolean plain(String path, String value) {
    if (value.indexOf('\0') >= 0) {
      wrong(path, value, "text without NUL");
      return false;
    }
    return true;
  }

  void absolute(String path, String value) {
    if (given(path, value, "an absolute path") && !value.startsWith("/")) {
      wrong(path, value, "an absolute path");
    }
  }

  void absolute(String path, List<String> values) {
    for (int i = 0; i < values.size(); i++) {
      absolute(path + "[" + i + "]", values.get(i));
    }
  }

  boolean oneOf(String path, String value, Collection<String> known) {
    var wanted = "one of " + String.join(", ", known);
    if (given(path, value, wanted) && !known.contains(value)) {
      wrong(path, value, wanted);
    }
    return known.contains(value);
  }

  void within(String path, long value, long least, long most) {
    if (value < least || value > most) {
      wrong(path, value, least + " to " + most);
    }
  }

  void within(String path, Optional<? extends Number> value, long least, long most) {
    value.ifPresent(number -> within(path, number.longValue(), least, most));
  }

  /** A number that must be there. */
  void required(String path, Optional<? extends Number> value, long least, long most) {
    if (value.isEmpty()) {
      error(path, "missing, wanted " + least + " to " + most);
    }
    within(path, value, least, most);
  }

  /** A 64-bit number, of any size, that must be there. */
  void required(String path, Optional<Long> value) {
    if (value.isEmpty()) {
      error(path, "missing, wanted a number");
    }
  }

  /** Processors or memory nodes. */
  void numbers(String path, Optional<String> list) {
    list.filter(text -> !text.isEmpty() && !NUMBER_LIST.matcher(text).matches())
        .ifPresent(text -> wrong(path, text, "numbers and ranges such as 0-2,4"));
  }
}
