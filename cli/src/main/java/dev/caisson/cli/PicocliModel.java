package dev.caisson.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The commands as picocli knows them, for the help and the completion of shells. */
final class PicocliModel {
  private static final int WIDTH = 100;

  private PicocliModel() {}

  /** The help of one command. */
  static String usage(Command command) {
    var spec = spec(command);
    spec.usageMessage()
        .width(WIDTH)
        .customSynopsis("caisson " + command.name() + " " + command.synopsis())
        .description("%n" + command.summary() + ".%n")
        .sortOptions(true);
    var line = new CommandLine(spec);
    return line.getUsageMessage(CommandLine.Help.Ansi.OFF);
  }

  /** A script for bash that completes commands and options. */
  static String completion() {
    var root = CommandSpec.create().name("caisson");
    for (var name : Commands.TOP) {
      root.addSubcommand(name, spec(Commands.top(name).orElseThrow()));
    }
    for (var group : Commands.GROUPS) {
      var inner = CommandSpec.create().name(group);
      for (var name : Commands.names(group)) {
        inner.addSubcommand(name, spec(Commands.in(group, name).orElseThrow()));
      }
      root.addSubcommand(group, inner);
    }
    return AutoComplete.bash("caisson", new CommandLine(root));
  }

  /** One command with its options. */
  static CommandSpec spec(Command command) {
    var spec = CommandSpec.create().name(command.name());
    for (var option : command.options.all()) {
      spec.addOption(option(option));
    }
    return spec;
  }

  private static OptionSpec option(Option option) {
    var longName = "--" + option.name();
    var builder =
        option.letter() == Option.NO_LETTER
            ? OptionSpec.builder(longName)
            : OptionSpec.builder("-" + option.letter(), longName);
    builder.description(option.description().replace("%", "%%"));
    return switch (option) {
      case Option.Flag _ -> builder.arity("0").type(boolean.class).build();
      case Option.Text text ->
          builder.arity("1").type(String.class).paramLabel(text.label()).build();
      case Option.Texts texts ->
          builder
              .arity("1")
              .type(java.util.List.class)
              .auxiliaryTypes(String.class)
              .paramLabel(texts.label())
              .build();
    };
  }
}
