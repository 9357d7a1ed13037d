package dev.caisson.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An option of a command and what was given for it. */
abstract sealed class Option {
  /** Stands for an option that has no one-letter form. */
  static final char NO_LETTER = 0;

  private final char letter;
  private final String name;
  private final String label;
  private final String description;

  private Option(char letter, String name, String label, String description) {
    this.letter = letter;
    this.name = name;
    this.label = label;
    this.description = description;
  }

  /** Takes a value, or the text after {@code =} for one that needs none. */
  abstract void accept(String value);

  /** Whether the next argument belongs to it. */
  abstract boolean needsValue();

  char letter() {
    return letter;
  }

  String name() {
    return name;
  }

  /** What its value is called in the help; empty for one that has none. */
  String label() {
    return label;
  }

  String description() {
    return description;
  }

  /** How it is called in errors: {@code -m, --memory}. */
  String title() {
    return letter == NO_LETTER ? "--" + name : "-" + letter + ", --" + name;
  }

  /** The failure of a value that cannot be. */
  UsageException invalid(String value, String why) {
    return new UsageException("option " + title() + ": '" + value + "' is not valid: " + why);
  }

  /** On or off. */
  static final class Flag extends Option {
    private boolean on;

    Flag(char letter, String name, boolean on, String description) {
      super(letter, name, "", description);
      this.on = on;
    }

    boolean on() {
      return on;
    }

    @Override
    void accept(String value) {
      on =
          switch (value) {
            case "true", "1", "t", "T", "TRUE", "True" -> true;
            case "false", "0", "f", "F", "FALSE", "False" -> false;
            default -> throw invalid(value, "say true or false");
          };
    }

    @Override
    boolean needsValue() {
      return false;
    }
  }

  /** One value; the last one given counts. */
  static final class Text extends Option {
    private Optional<String> value = Optional.empty();

    Text(char letter, String name, String label, String description) {
      super(letter, name, label, description);
    }

    Optional<String> value() {
      return value;
    }

    @Override
    void accept(String given) {
      value = Optional.of(given);
    }

    @Override
    boolean needsValue() {
      return true;
    }
  }

  /** Any number of values. */
  static final class Texts extends Option {
    private final List<String> values = new ArrayList<>();

    Texts(char letter, String name, String label, String description) {
      super(letter, name, label, description);
    }

    List<String> values() {
      return values;
    }

    @Override
    void accept(String given) {
      values.add(given);
    }

    @Override
    boolean needsValue() {
      return true;
    }
  }
}
