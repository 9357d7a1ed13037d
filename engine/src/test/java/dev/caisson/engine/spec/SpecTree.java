package dev.caisson.engine.spec;

import dev.caisson.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/** A configuration whose fields can be changed one by one. */
final class SpecTree {
  private static final Pattern INDEX = Pattern.compile("\\[(\\d+)\\]");

  private final Object top;

  private SpecTree(Object top) {
    this.top = top;
  }

  /** One that has every field of the specification, and unknown ones at every level. */
  static SpecTree withEverything() {
    return new SpecTree(changeable(Json.readTree(resource("everything.json"))));
  }

  static SpecTree of(String document) {
    return new SpecTree(changeable(Json.readTree(document)));
  }

  static String resource(String name) {
    try (var in = Objects.requireNonNull(SpecTree.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sets a field to a value in JSON; {@code -} removes it. */
  SpecTree with(String path, String json) {
    put(top, path, json);
    return this;
  }

  String text() {
    return Json.text(top);
  }

  byte[] document() {
    return Json.write(top);
  }

  @SuppressWarnings("unchecked")
  private static void put(Object at, String path, String json) {
    if (at instanceof List<?> list) {
      var index = INDEX.matcher(path);
      if (!index.lookingAt()) {
        throw new IllegalArgumentException(path);
      }
      int i = Integer.parseInt(index.group(1));
      var rest = path.substring(index.end());
      if (rest.isEmpty()) {
        ((List<Object>) list).set(i, value(json));
      } else {
        put(list.get(i), rest, json);
      }
      return;
    }
    var map = (Map<String, Object>) at;
    var name = path.startsWith(".") ? path.substring(1) : path;
    // Names may have dots: the longest that is there is meant.
    for (var known : List.copyOf(map.keySet())) {
      var rest = name.startsWith(known) ? name.substring(known.length()) : "-";
      if (rest.startsWith(".") || rest.startsWith("[")) {
        put(map.get(known), rest, json);
        return;
      }
    }
    if (json.equals("-")) {
      if (!map.containsKey(name)) {
        throw new IllegalArgumentException("no field " + path);
      }
      map.remove(name);
    } else {
      map.put(name, value(json));
    }
  }

  private static Object value(String json) {
    return changeable(Json.readTree("[" + json + "]")) instanceof List<?> list
        ? list.getFirst()
        : "";
  }

  private static Object changeable(Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        var copy = new LinkedHashMap<Object, Object>();
        map.forEach((key, inner) -> copy.put(key, changeable(inner)));
        yield copy;
      }
      case List<?> list -> {
        var copy = new ArrayList<Object>();
        list.forEach(inner -> copy.add(changeable(inner)));
        yield copy;
      }
      case null -> null;
      default -> value;
    };
  }
}
