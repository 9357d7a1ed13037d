package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.Containers;
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

  private Containers.Created makeOrPull(ContainerSettings settings) {
    try (var view = ProgressView.of(session, options.quiet.on())) {
      return session.node().containers().create(settings, view);
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
