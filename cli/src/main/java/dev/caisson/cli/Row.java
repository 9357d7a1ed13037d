package dev.caisson.cli;

import java.util.List;

/** Something a list shows, by the names its fields have in {@code --format}. */
interface Row {
  /** All names, in the order of the JSON form. */
  List<String> names();

  /**
   * A field: text, number, truth or a map.
   *
   * @throws UsageException when there is no such field
   */
  Object field(String name);

  /** The failure of an unknown name. */
  default UsageException unknown(String name) {
    return new UsageException(
        "format: there is no field '." + name + "'; there are " + String.join(", ", names()));
  }
}
