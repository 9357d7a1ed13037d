package dev.caisson.oci;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What went less than well but did not stop the work: one text of each kind. For one thread. */
final class Warnings {
  private final Map<String, String> texts = new LinkedHashMap<>();

  /** Adds a text unless there is one of this kind. */
  void once(String kind, String text) {
    texts.putIfAbsent(kind, text);
  }

  List<String> texts() {
    return List.copyOf(texts.values());
  }
}
