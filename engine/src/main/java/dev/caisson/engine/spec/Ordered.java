package dev.caisson.engine.spec;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Copies of maps that keep their order, so that a document is written as it was read. */
final class Ordered {
  private Ordered() {}

  static <V> Map<String, V> copy(Map<String, V> map) {
    return map.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }
}
