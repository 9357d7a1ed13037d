package dev.caisson.library.protocol;

import dev.caisson.library.ContainerSummary;
import dev.caisson.library.ImageSummary;
import dev.caisson.library.ProcessEntry;
import java.util.List;
import java.util.Map;

/**
 * Results that are lists or single values, wrapped so that each line of the protocol is one object.
 */
public final class Listing {
  private Listing() {}

  /** Containers. */
  public record OfContainers(List<ContainerSummary> containers) {}

  /** Processes. */
  public record OfProcesses(List<ProcessEntry> processes) {}

  /** Images. */
  public record OfImages(List<ImageSummary> images) {}

  /** Words or sentences. */
  public record OfTexts(List<String> texts) {}

  /** One word. */
  public record Text(String text) {}

  /** A JSON tree. */
  public record Tree(Map<String, Object> tree) {}
}
