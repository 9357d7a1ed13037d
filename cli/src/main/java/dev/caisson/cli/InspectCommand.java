package dev.caisson.cli;

import dev.caisson.json.Json;
import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code caisson inspect}, {@code container inspect} and {@code image inspect}. */
final class InspectCommand extends Command {
  private final Kind kind;
  private final Option.Text format =
      options.text('f', "format", "FORMAT", "json, or fields: '{{.State.Pid}}'");
  private final Option.Text type = options.text("type", "KIND", "container or image");

  /** What may be meant. */
  enum Kind {
    ANY,
    CONTAINER,
    IMAGE
  }

  InspectCommand(Kind kind) {
    super(
        switch (kind) {
          case ANY -> "inspect";
          case CONTAINER -> "container inspect";
          case IMAGE -> "image inspect";
        },
        "[OPTIONS] NAME...",
        "Print everything known of containers or images");
    this.kind = kind;
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    var wanted = kind();
    var found = new ArrayList<Map<String, Object>>();
    int code = OK;
    for (var name : arguments) {
      try {
        found.add(find(session, name, wanted));
      } catch (CaissonException e) {
        Program.report(session, e);
        code = FAILED;
      }
    }
    print(session, found);
    return code;
  }

  private Kind kind() {
    return switch (type.value().orElse("")) {
      case "" -> kind;
      case "container" -> Kind.CONTAINER;
      case "image" -> Kind.IMAGE;
      default -> throw type.invalid(type.value().get(), "there are container and image");
    };
  }

  private static Map<String, Object> find(Session session, String name, Kind kind) {
    return switch (kind) {
      case CONTAINER -> ContainerView.tree(session.node().containers().inspect(name));
      case IMAGE -> session.node().images().inspect(name);
      case ANY -> {
        try {
          yield find(session, name, Kind.CONTAINER);
        } catch (CaissonException e) {
          if (e.reason() != Reason.NOT_FOUND) {
            throw e;
          }
        }
        try {
          yield find(session, name, Kind.IMAGE);
        } catch (CaissonException e) {
          // Names that no image could have are no images either.
          if (e.reason() != Reason.NOT_FOUND && e.reason() != Reason.INVALID) {
            throw e;
          }
        }
        throw new CaissonException(
            Reason.NOT_FOUND,
            "inspect '" + name + "'",
            "there is no such container or image",
            "see 'caisson ps -a' and 'caisson images'");
      }
    };
  }

  private void print(Session session, List<Map<String, Object>> found) {
    Optional<String> wanted = format.value();
    if (wanted.isPresent() && !wanted.get().equals("json")) {
      var template = new Template(wanted.get());
      for (var tree : found) {
        session.out().line(template.apply(new MapRow(tree)));
      }
    } else {
      session.out().line(SafeText.json(Json.pretty(found)));
    }
  }
}
