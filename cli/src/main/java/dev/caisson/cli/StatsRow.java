package dev.caisson.cli;

import dev.caisson.library.ContainerSummary;
import dev.caisson.library.Stats;
import java.time.Duration;
import java.util.List;

/** A line of {@code caisson stats}: what was used between two readings. */
record StatsRow(ContainerSummary container, Stats before, Stats now, boolean full) implements Row {
  static final List<String> COLUMNS =
      List.of("ID", "Name", "CPUPerc", "MemUsage", "MemPerc", "BlockIO", "PIDs");

  @Override
  public List<String> names() {
    return COLUMNS;
  }

  @Override
  public Object field(String name) {
    return switch (name) {
      case "ID", "Container" -> full ? container.id() : ContainerRow.shortId(container.id());
      case "Name" -> container.name();
      case "CPUPerc" -> Sizes.percent(cpuShare());
      case "MemUsage" ->
          Sizes.binary(now.memoryBytes())
              + " / "
              + (now.memoryLimitBytes() == 0 ? "--" : Sizes.binary(now.memoryLimitBytes()));
      case "MemPerc" ->
          now.memoryLimitBytes() == 0
              ? "--"
              : Sizes.percent(now.memoryBytes() / (double) now.memoryLimitBytes());
      case "BlockIO" -> Sizes.decimal(now.readBytes()) + " / " + Sizes.decimal(now.writtenBytes());
      case "PIDs" -> Long.toString(now.pids());
      default -> throw unknown(name);
    };
  }

  private double cpuShare() {
    long wall = Duration.between(before.at(), now.at()).toNanos();
    return wall <= 0 ? 0 : Math.max(0, now.cpuNanos() - before.cpuNanos()) / (double) wall;
  }
}
