package dev.caisson.cli;

import dev.caisson.library.ImageSummary;
import java.util.List;

/** A line of {@code caisson images}. */
record ImageRow(ImageSummary image, boolean full) implements Row {
  static final List<String> COLUMNS =
      List.of("Repository", "Tag", "ImageID", "CreatedSince", "Size");

  static final List<String> COLUMNS_WITH_DIGEST =
      List.of("Repository", "Tag", "Digest", "ImageID", "CreatedSince", "Size");

  private static final String NONE = "<none>";

  @Override
  public List<String> names() {
    return List.of(
        "ID", "Repository", "Tag", "Digest", "CreatedAt", "CreatedSince", "Size", "BlobSize");
  }

  @Override
  public Object field(String name) {
    return switch (name) {
      case "ID", "ImageID" -> full ? image.id() : ContainerRow.shortId(image.id());
      case "Name" -> image.name();
      case "Repository" -> repository();
      case "Tag" -> tag();
      case "Digest" -> image.digest();
      case "CreatedAt" -> image.created().isPresent() ? image.created().get().toString() : "N/A";
      case "CreatedSince" -> image.created().isPresent() ? Times.ago(image.created().get()) : "N/A";
      case "Size" -> Sizes.decimal(image.unpackedBytes());
      case "BlobSize" -> Sizes.decimal(image.bytes());
      default -> throw unknown(name);
    };
  }

  private String repository() {
    var name = withoutDigest();
    int colon = tagColon(name);
    var repository = colon < 0 ? name : name.substring(0, colon);
    return repository.isEmpty() ? NONE : repository;
  }

  private String tag() {
    var name = withoutDigest();
    int colon = tagColon(name);
    return colon < 0 ? NONE : name.substring(colon + 1);
  }

  private String withoutDigest() {
    int at = image.name().indexOf('@');
    return at < 0 ? image.name() : image.name().substring(0, at);
  }

  /** The colon before the tag, not that of a registry's port. */
  private static int tagColon(String name) {
    int colon = name.lastIndexOf(':');
    return colon > name.lastIndexOf('/') ? colon : -1;
  }
}
