package dev.caisson.cli;

/**
 * A script for fish that completes commands and options. Source: complete(1) of fish: {@code -n} is
 * the condition, {@code -a} words, {@code -s} and {@code -l} an option, {@code -r} one with a
 * value, {@code -d} what is shown beside it.
 */
final class FishCompletion {
  private static final String ALONE = "__fish_use_subcommand";

  private FishCompletion() {}

  static String script() {
    var script = new StringBuilder();
    for (var name : Commands.TOP) {
      add(script, ALONE, Commands.top(name).orElseThrow(), name, "");
    }
    for (var group : Commands.GROUPS) {
      line(script, ALONE).append(" -f -a ").append(group).append('\n');
      for (var name : Commands.names(group)) {
        var inGroup =
            "__fish_seen_subcommand_from "
                + group
                + "; and not __fish_seen_subcommand_from "
                + String.join(" ", Commands.names(group));
        add(
            script,
            inGroup,
            Commands.in(group, name).orElseThrow(),
            name,
            "__fish_seen_subcommand_from " + group + "; and ");
      }
    }
    return script.toString();
  }

  /** A command's word where it can stand, and its options behind it. */
  private static void add(
      StringBuilder script, String where, Command command, String name, String behind) {
    line(script, where)
        .append(" -f -a ")
        .append(name)
        .append(" -d ")
        .append(quoted(command.summary()))
        .append('\n');
    for (var option : command.options.all()) {
      line(script, behind + "__fish_seen_subcommand_from " + name);
      if (option.letter() != Option.NO_LETTER) {
        script.append(" -s ").append(option.letter());
      }
      script.append(" -l ").append(option.name());
      if (option.needsValue()) {
        script.append(" -r");
      }
      script.append(" -d ").append(quoted(option.description())).append('\n');
    }
  }

  private static StringBuilder line(StringBuilder script, String condition) {
    return script.append("complete -c caisson -n ").append(quoted(condition));
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
