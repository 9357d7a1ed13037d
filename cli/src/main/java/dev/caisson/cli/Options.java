package dev.caisson.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * The options of a command, and the reading of arguments.
 *
 * <p>Forms are Docker's: {@code --name value}, {@code --name=value}, {@code -n value}, {@code
 * -nvalue}, {@code -n=value}, one-letter flags together ({@code -it}), {@code --flag=false}, and
 * {@code --} before what only looks like an option.
 */
final class Options {
  private final List<Option> all = new ArrayList<>();
  private final List<String> aliases = new ArrayList<>(); // other name, name, other name, name …

  Option.Flag flag(char letter, String name, String description) {
    return add(new Option.Flag(letter, name, false, description));
  }

  Option.Flag flag(String name, String description) {
    return flag(Option.NO_LETTER, name, description);
  }

  /** A flag that is on unless switched off with {@code =false}. */
  Option.Flag flagOn(String name, String description) {
    return add(new Option.Flag(Option.NO_LETTER, name, true, description));
  }

  Option.Text text(char letter, String name, String label, String description) {
    return add(new Option.Text(letter, name, label, description));
  }

  Option.Text text(String name, String label, String description) {
    return text(Option.NO_LETTER, name, label, description);
  }

  Option.Texts texts(char letter, String name, String label, String description) {
    return add(new Option.Texts(letter, name, label, description));
  }

  Option.Texts texts(String name, String label, String description) {
    return texts(Option.NO_LETTER, name, label, description);
  }

  /** Lets an option be called by another long name too, not shown in the help. */
  void alias(String other, String name) {
    aliases.add(other);
    aliases.add(name);
  }

  List<Option> all() {
    return all;
  }

  private <T extends Option> T add(T option) {
    all.add(option);
    return option;
  }

  /**
   * Reads arguments into the options.
   *
   * @param optionsFirst the first argument that is no option ends them
   * @return the other arguments
   * @throws UsageException for an unknown option or a missing value
   */
  List<String> read(List<String> arguments, boolean optionsFirst) {
    var others = new ArrayList<String>();
    for (int i = 0; i < arguments.size(); i++) {
      var argument = arguments.get(i);
      if (argument.equals("--")) {
        others.addAll(arguments.subList(i + 1, arguments.size()));
        return others;
      }
      if (argument.length() < 2 || argument.charAt(0) != '-') {
        if (optionsFirst) {
          others.addAll(arguments.subList(i, arguments.size()));
          return others;
        }
        others.add(argument);
      } else if (argument.startsWith("--")) {
        i += readLong(argument, arguments, i);
      } else {
        i += readLetters(argument, arguments, i);
      }
    }
    return others;
  }

  private int readLong(String argument, List<String> arguments, int at) {
    int equals = argument.indexOf('=');
    var option = named(equals < 0 ? argument.substring(2) : argument.substring(2, equals));
    if (equals >= 0) {
      option.accept(argument.substring(equals + 1));
      return 0;
    }
    if (!option.needsValue()) {
      option.accept("true");
      return 0;
    }
    option.accept(following(option, arguments, at));
    return 1;
  }

  private int readLetters(String argument, List<String> arguments, int at) {
    for (int i = 1; i < argument.length(); i++) {
      var option = lettered(argument.charAt(i), argument);
      var rest = argument.substring(i + 1);
      if (rest.startsWith("=")) {
        option.accept(rest.substring(1));
        return 0;
      }
      if (option.needsValue()) {
        if (!rest.isEmpty()) {
          option.accept(rest);
          return 0;
        }
        option.accept(following(option, arguments, at));
        return 1;
      }
      option.accept("true");
    }
    return 0;
  }

  private static String following(Option option, List<String> arguments, int at) {
    if (at + 1 == arguments.size()) {
      throw new UsageException("option " + option.title() + ": its value is missing");
    }
    return arguments.get(at + 1);
  }

  private Option named(String given) {
    var name = given;
    for (int i = 0; i < aliases.size(); i += 2) {
      if (aliases.get(i).equals(given)) {
        name = aliases.get(i + 1);
      }
    }
    for (var option : all) {
      if (option.name().equals(name)) {
        return option;
      }
    }
    throw new UsageException("unknown option '--" + given + "'");
  }

  private Option lettered(char letter, String argument) {
    for (var option : all) {
      if (option.letter() == letter) {
        return option;
      }
    }
    if (letter == 'h') {
      return named("help");
    }
    throw new UsageException(
        argument.length() == 2
            ? "unknown option '" + argument + "'"
            : "unknown option '-" + letter + "' in '" + argument + "'");
  }
}
