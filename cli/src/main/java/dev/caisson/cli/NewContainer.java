package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.Containers;
import dev.caisson.library.Images;
import dev.caisson.library.PullPolicy;
import dev.caisson.library.Reason;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The making of a container, with the progress of the pull it may need. */
final class NewContainer {
  private final Session session;
  private final ContainerOptions options;

  NewContainer(Session session, ContainerOptions options) {
    this.session = session;
    this.options = options;
  }

  /** Makes it, tells warnings and writes the file with its id. Returns the id. */
  String create(ContainerSettings settings) {
    var idFile = reserveIdFile();
    try {
      var created = makeOrPull(settings);
      for (var warning : created.warnings()) {
        session.warn(warning);
      }
      if (idFile.isPresent()) {
        Files.writeString(idFile.get(), created.id());
      }
      return created.id();
    } catch (IOException e) {
      throw new CaissonException(
          Reason.INTERNAL,
          "write the id to '" + idFile.orElseThrow() + "'",
          FileTrouble.words(e),
          "");
    } catch (CaissonException e) {
      release(idFile);
      throw e;
    }
  }

  /** Makes a container at once when its image is there; else pulls first, where one can watch. */
  private Containers.Created makeOrPull(ContainerSettings settings) {
    var here = settings.withPull(PullPolicy.NEVER);
    return switch (settings.pull()) {
      case NEVER -> session.node().containers().create(here);
      case ALWAYS -> {
        pull(settings);
        yield session.node().containers().create(here);
      }
      case MISSING -> {
        try {
          yield session.node().containers().create(here);
        } catch (CaissonException e) {
          if (e.reason() != Reason.NOT_FOUND || isHere(settings.image())) {
            throw e;
          }
        }
        pull(settings);
        yield session.node().containers().create(here);
      }
    };
  }

  private boolean isHere(String image) {
    try {
      session.node().images().inspect(image);
      return true;
    } catch (CaissonException e) {
      if (e.reason() == Reason.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private void pull(ContainerSettings settings) {
    var wanted = new Images.PullSettings(settings.image(), settings.platform(), false);
    try (var view = ProgressView.of(session, options.quiet.on())) {
      session.node().images().pull(wanted, view).warnings().forEach(session::warn);
    }
  }

  private Optional<Path> reserveIdFile() {
    if (options.cidfile.value().isEmpty()) {
      return Optional.empty();
    }
    var file = Path.of(options.cidfile.value().get());
    try {
      return Optional.of(Files.createFile(file));
    } catch (FileAlreadyExistsException e) {
      throw new CaissonException(
          Reason.ALREADY_EXISTS,
          "write the id to '" + file + "'",
          "it is there already",
          "remove it, or name another file");
    } catch (IOException e) {
      throw new CaissonException(
          Reason.INVALID, "write the id to '" + file + "'", FileTrouble.words(e), "");
    }
  }

  private static void release(Optional<Path> idFile) {
    if (idFile.isPresent()) {
      try {
        Files.deleteIfExists(idFile.get());
      } catch (IOException e) {
        // The container's failure matters more than an empty file.
      }
    }
  }
}
