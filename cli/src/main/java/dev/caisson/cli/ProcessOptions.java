package dev.caisson.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a process gets: options of {@code run}, {@code create} and {@code exec}. */
final class ProcessOptions {
  final Option.Flag interactive;
  final Option.Flag terminal;
  final Option.Text workingDirectory;
  final Option.Text user;
  private final Option.Texts environment;
  private final Option.Texts environmentFiles;

  ProcessOptions(Options options) {
    interactive = options.flag('i', "interactive", "Connect its standard input");
    terminal = options.flag('t', "tty", "Give it a terminal");
    environment = options.texts('e', "env", "NAME[=VALUE]", "Variable of its environment");
    environmentFiles = options.texts("env-file", "FILE", "File with a NAME=VALUE on each line");
    workingDirectory = options.text('w', "workdir", "DIR", "Its working directory");
    user = options.text('u', "user", "USER[:GROUP]", "Who it runs as, by name or number");
  }

  /** Lines for the environment; a bare name takes what this program has, or removes the image's. */
  List<String> environment(Machine machine) {
    var lines = new ArrayList<String>();
    for (var file : environmentFiles.values()) {
      for (var line : entries(environmentFiles, file)) {
        if (line.indexOf('=') > 0) {
          lines.add(line);
        } else {
          var value = machine.variable(line);
          if (value.isPresent()) {
            lines.add(line + "=" + value.get());
          }
        }
      }
    }
    for (var line : environment.values()) {
      if (line.isEmpty() || line.startsWith("=")) {
        throw environment.invalid(line, "the name is empty");
      }
      if (line.indexOf('=') > 0) {
        lines.add(line);
      } else {
        var value = machine.variable(line);
        lines.add(value.isPresent() ? line + "=" + value.get() : line);
      }
    }
    return lines;
  }

  /** Lines of a file that are neither empty nor comments. */
  static List<String> entries(Option option, String file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(Path.of(file));
    } catch (IOException e) {
      throw option.invalid(file, FileTrouble.words(e));
    }
    var entries = new ArrayList<String>();
    for (int i = 0; i < lines.size(); i++) {
      var line = lines.get(i).stripLeading();
      if (i == 0 && line.startsWith("\ufeff")) {
        line = line.substring(1);
      }
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int equals = line.indexOf('=');
      var name = equals < 0 ? line.stripTrailing() : line.substring(0, equals);
      if (name.isEmpty() || name.indexOf(' ') >= 0 || name.indexOf('\t') >= 0) {
        throw option.invalid(file, "line " + (i + 1) + ": '" + name + "' is no name");
      }
      entries.add(equals < 0 ? name : line);
    }
    return entries;
  }
}
