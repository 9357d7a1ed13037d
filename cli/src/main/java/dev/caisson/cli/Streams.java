package dev.caisson.cli;

import dev.caisson.library.AttachSettings;
import java.util.Locale;

/** Which streams to connect, as the options say. */
final class Streams {
  private Streams() {}

  /** Those named by {@code --attach}; output, and input when it is wanted, without it. */
  static AttachSettings of(Option.Texts attach, boolean interactive) {
    if (attach.values().isEmpty()) {
      return interactive ? AttachSettings.ALL : AttachSettings.OUTPUT;
    }
    boolean in = false;
    boolean out = false;
    boolean err = false;
    for (var name : attach.values()) {
      switch (name.toLowerCase(Locale.ROOT)) {
        case "stdin" -> in = true;
        case "stdout" -> out = true;
        case "stderr" -> err = true;
        default -> throw attach.invalid(name, "say stdin, stdout or stderr");
      }
    }
    return new AttachSettings(in || interactive, out, err);
  }

  /** Refuses to connect a terminal in the container to what is none. */
  static void checkTerminal(Session session, boolean terminal, boolean interactive) {
    if (terminal && interactive && !session.machine().isTerminal(0)) {
      throw new UsageException("option -t, --tty: the standard input is not a terminal");
    }
  }
}
