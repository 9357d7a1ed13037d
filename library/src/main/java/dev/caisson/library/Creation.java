package dev.caisson.library;

import dev.caisson.library.Containers.Created;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Makes containers whose image may have to be pulled first. The pull is a call of its own, so that
 * its progress can be seen and its user's logins are used.
 *
 * @param images of the node
 * @param node makes a container of an image that is there, else fails with {@code NOT_FOUND}
 */
record Creation(Images images, Function<ContainerSettings, Created> node) {
  /** Images made by the node itself, which has no registry to ask for them. */
  private static final String BUILTIN = "builtin/";

  Created create(ContainerSettings settings, Consumer<TransferProgress> progress) {
    var here = settings.withPull(PullPolicy.NEVER);
    return switch (settings.pull()) {
      case NEVER -> node.apply(here);
      case ALWAYS ->
          settings.image().startsWith(BUILTIN) ? node.apply(here) : pullAndCreate(here, progress);
      case MISSING -> {
        try {
          yield node.apply(here);
        } catch (CaissonException e) {
          if (e.reason() != Reason.NOT_FOUND || isHere(settings)) {
            throw e;
          }
        }
        yield pullAndCreate(here, progress);
      }
    };
  }

  /** What was not found may also be something else than the image. */
  private boolean isHere(ContainerSettings settings) {
    return settings.image().startsWith(BUILTIN)
        || (settings.platform().isEmpty() && isKnown(settings.image()));
  }

  private boolean isKnown(String image) {
    try {
      images.inspect(image);
      return true;
    } catch (CaissonException e) {
      if (e.reason() == Reason.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private Created pullAndCreate(ContainerSettings here, Consumer<TransferProgress> progress) {
    var wanted = new Images.PullSettings(here.image(), here.platform(), false);
    var pulled = images.pull(wanted, progress);
    var created = node.apply(here);
    List<String> warnings = new ArrayList<>(pulled.warnings());
    warnings.addAll(created.warnings());
    return new Created(created.id(), List.copyOf(warnings));
  }
}
