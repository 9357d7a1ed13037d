package dev.caisson.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All commands by name. Only the one asked for is made, since the others' options take time. */
final class Commands {
  static final List<String> TOP =
      List.of(
          "run",
          "create",
          "start",
          "exec",
          "attach",
          "ps",
          "logs",
          "stop",
          "restart",
          "kill",
          "wait",
          "rm",
          "pause",
          "unpause",
          "update",
          "stats",
          "top",
          "inspect",
          "events",
          "pull",
          "push",
          "images",
          "rmi",
          "tag",
          "load",
          "save",
          "version",
          "completion",
          "help");

  static final List<String> GROUPS = List.of("container", "image", "system");

  private static final List<String> CONTAINER =
      List.of(
          "run", "create", "start", "exec", "attach", "ls", "logs", "stop", "restart", "kill",
          "wait", "rm", "pause", "unpause", "update", "stats", "top", "inspect", "prune");

  private static final List<String> IMAGE =
      List.of("ls", "pull", "push", "rm", "tag", "load", "save", "inspect", "prune");

  private static final List<String> SYSTEM = List.of("info", "check", "events", "prune", "stop");

  private Commands() {}

  /** A command and how many words name it. */
  record Found(Command command, int words) {}

  /** The command that words begin with. */
  static Optional<Found> find(List<String> words) {
    var first = words.getFirst();
    var single = top(first);
    if (single.isPresent()) {
      return Optional.of(new Found(single.get(), 1));
    }
    if (words.size() < 2) {
      return Optional.empty();
    }
    var second = in(first, words.get(1));
    return second.isPresent() ? Optional.of(new Found(second.get(), 2)) : Optional.empty();
  }

  static boolean isGroup(String name) {
    return GROUPS.contains(name);
  }

  /** Names of the commands in a group. */
  static List<String> names(String group) {
    return switch (group) {
      case "container" -> CONTAINER;
      case "image" -> IMAGE;
      case "system" -> SYSTEM;
      default -> List.of();
    };
  }

  /** All commands of a group, for the help. */
  static List<Command> all(String group) {
    var all = new ArrayList<Command>();
    for (var name : names(group)) {
      all.add(in(group, name).orElseThrow());
    }
    return all;
  }

  /** The command of one word. */
  static Optional<Command> top(String name) {
    return switch (name) {
      case "pull" -> Optional.of(new PullCommand());
      case "push" -> Optional.of(new PushCommand());
      case "images" -> Optional.of(new ImagesCommand());
      case "rmi" -> Optional.of(new RemoveImagesCommand());
      case "tag" -> Optional.of(new TagCommand());
      case "load" -> Optional.of(new LoadCommand());
      case "save" -> Optional.of(new SaveCommand());
      case "ps" -> Optional.of(new ListContainersCommand());
      case "events" -> Optional.of(new EventsCommand());
      case "inspect" -> Optional.of(new InspectCommand(InspectCommand.Kind.ANY));
      case "image-inspect" -> Optional.of(new InspectCommand(InspectCommand.Kind.IMAGE));
      case "info" -> Optional.of(new InfoCommand());
      case "version" -> Optional.of(new VersionCommand());
      case "completion" -> Optional.of(new CompletionCommand());
      case "help" -> Optional.of(new HelpCommand());
      case "prune", "ls" -> Optional.empty();
      default -> container(name);
    };
  }

  /** The command of a group. */
  static Optional<Command> in(String group, String name) {
    return switch (group) {
      case "container" -> container(name);
      case "image" -> image(name);
      case "system" -> system(name);
      default -> Optional.empty();
    };
  }

  private static Optional<Command> container(String name) {
    return switch (name) {
      case "run" -> Optional.of(new RunCommand());
      case "create" -> Optional.of(new CreateCommand());
      case "start" -> Optional.of(new StartCommand());
      case "exec" -> Optional.of(new ExecCommand());
      case "attach" -> Optional.of(new AttachCommand());
      case "ls", "list", "ps" -> Optional.of(new ListContainersCommand());
      case "logs" -> Optional.of(new LogsCommand());
      case "stop" -> Optional.of(new StopCommand());
      case "restart" -> Optional.of(new RestartCommand());
      case "kill" -> Optional.of(new KillCommand());
      case "wait" -> Optional.of(new WaitCommand());
      case "rm", "remove" -> Optional.of(new RemoveCommand());
      case "pause" -> Optional.of(new PauseCommand());
      case "unpause" -> Optional.of(new UnpauseCommand());
      case "update" -> Optional.of(new UpdateCommand());
      case "stats" -> Optional.of(new StatsCommand());
      case "top" -> Optional.of(new TopCommand());
      case "inspect" -> Optional.of(new InspectCommand(InspectCommand.Kind.CONTAINER));
      case "prune" -> Optional.of(new PruneContainersCommand());
      default -> Optional.empty();
    };
  }

  private static Optional<Command> image(String name) {
    return switch (name) {
      case "ls", "list" -> Optional.of(new ImagesCommand());
      case "pull" -> Optional.of(new PullCommand());
      case "push" -> Optional.of(new PushCommand());
      case "rm", "remove" -> Optional.of(new RemoveImagesCommand());
      case "tag" -> Optional.of(new TagCommand());
      case "load" -> Optional.of(new LoadCommand());
      case "save" -> Optional.of(new SaveCommand());
      case "inspect" -> Optional.of(new InspectCommand(InspectCommand.Kind.IMAGE));
      case "prune" -> Optional.of(new PruneImagesCommand());
      default -> Optional.empty();
    };
  }

  private static Optional<Command> system(String name) {
    return switch (name) {
      case "info" -> Optional.of(new InfoCommand());
      case "check" -> Optional.of(new CheckCommand());
      case "events" -> Optional.of(new EventsCommand());
      case "prune" -> Optional.of(new PruneSystemCommand());
      case "stop" -> Optional.of(new StopDaemonCommand());
      default -> Optional.empty();
    };
  }
}
