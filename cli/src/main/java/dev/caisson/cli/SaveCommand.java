package dev.caisson.cli;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Images;
import dev.caisson.library.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** {@code caisson save}. */
final class SaveCommand extends Command {
  private final Option.Text output =
      options.text('o', "output", "FILE", "The archive, or directory; standard output without it");
  private final Option.Text format =
      options.text("format", "NAME", "docker-archive (usual), oci-archive, oci-dir");

  SaveCommand() {
    super("save", "[OPTIONS] IMAGE...", "Write images as an archive");
  }

  @Override
  Arity arity() {
    return Arity.SOME;
  }

  @Override
  int run(Session session, List<String> arguments) {
    if (format.value().filter("oci-dir"::equals).isPresent()) {
      if (output.value().isEmpty()) {
        throw new UsageException("'save --format oci-dir' needs a directory: name it with -o");
      }
      session.node().images().saveLayout(arguments, Path.of(output.value().get()));
      return OK;
    }
    var wanted = archiveFormat();
    if (output.value().isEmpty()) {
      if (session.machine().isTerminal(1)) {
        throw new UsageException("'save' writes an archive: name it with -o, or redirect it");
      }
      session.node().images().save(arguments, wanted, session.out().raw());
      return OK;
    }
    var file = Path.of(output.value().get());
    // Complete or not at all: an archive that was cut off looks like one that is whole.
    var partial = file.resolveSibling(file.getFileName() + ".part");
    try {
      try (var archive = Files.newOutputStream(partial)) {
        session.node().images().save(arguments, wanted, archive);
      }
      Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw failure(file, partial, e);
    } catch (CaissonException e) {
      discard(partial);
      throw e;
    }
    return OK;
  }

  private Images.ArchiveFormat archiveFormat() {
    var name = format.value().orElse("docker-archive");
    return switch (name) {
      case "docker-archive", "docker" -> Images.ArchiveFormat.DOCKER;
      case "oci-archive", "oci" -> Images.ArchiveFormat.OCI;
      default -> throw format.invalid(name, "there are docker-archive, oci-archive and oci-dir");
    };
  }

  private static CaissonException failure(Path file, Path partial, IOException e) {
    discard(partial);
    return new CaissonException(
        Reason.INTERNAL, "write the archive '" + file + "'", FileTrouble.words(e), "", e);
  }

  private static void discard(Path partial) {
    try {
      Files.deleteIfExists(partial);
    } catch (IOException e) {
      // What led here is told.
    }
  }
}
