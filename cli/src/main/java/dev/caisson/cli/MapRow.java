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
    if (value == null) {
      throw unknown(name);
    }
    return value;
  }
}
