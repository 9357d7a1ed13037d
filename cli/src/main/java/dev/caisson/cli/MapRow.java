package dev.caisson.cli;

import java.util.List;
import java.util.Map;

/** A tree of JSON, for templates. */
record MapRow(Map<String, Object> tree) implements Row {
  @Override
  public List<String> names() {
    return List.copyOf(tree.keySet());
  }

  @Override
  public Object field(String name) {
    var value = tree.get(name);
    if (value == null && !name.isEmpty()) {
      // Who knows Go's templates writes {{.Id}} also for what JSON calls id.
      value = tree.get(Character.toLowerCase(name.charAt(0)) + name.substring(1));
    }
    if (value == null) {
      throw unknown(name);
    }
    return value;
  }
}
