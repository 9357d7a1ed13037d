package dev.caisson.cli;

import dev.caisson.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The part of Go's templates that lists of fields need: {@code {{.Name}}}, {@code {{.State.Pid}}},
 * {@code {{json .Labels}}}, {@code {{index .Labels "key"}}}, {@code {{.Label "key"}}}.
 */
final class Template {
  private final List<String> literals = new ArrayList<>(); // one more than actions
  private final List<List<String>> actions = new ArrayList<>();

  /** Reads a template; {@code \t} and {@code \n} written out count as tab and newline. */
  Template(String text) {
    var rest = text.replace("\\t", "\t").replace("\\n", "\n");
    for (; ; ) {
      int open = rest.indexOf("{{");
      if (open < 0) {
        literals.add(rest);
        return;
      }
      int close = rest.indexOf("}}", open);
      if (close < 0) {
        throw new UsageException("format: '{{' is not closed in '" + text + "'");
      }
      literals.add(rest.substring(0, open));
      actions.add(words(rest.substring(open + 2, close)));
      rest = rest.substring(close + 2);
    }
  }

  private static List<String> words(String action) {
    var words = new ArrayList<String>();
    var word = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < action.length(); i++) {
      char c = action.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      }
      if (c == ' ' && !quoted) {
        if (!word.isEmpty()) {
          words.add(word.toString());
          word.setLength(0);
        }
      } else {
        word.append(c);
      }
    }
    if (!word.isEmpty()) {
      words.add(word.toString());
    }
    if (quoted || words.isEmpty()) {
      throw new UsageException("format: '{{" + action + "}}' cannot be read");
    }
    return words;
  }

  /** The line of a row. */
  String apply(Row row) {
    var line = new StringBuilder(literals.getFirst());
    for (int i = 0; i < actions.size(); i++) {
      line.append(value(actions.get(i), row)).append(literals.get(i + 1));
    }
    return line.toString();
  }

  /** The headings above the columns: the names of the fields, spaced out and in capitals. */
  String headings() {
    var line = new StringBuilder(literals.getFirst());
    for (int i = 0; i < actions.size(); i++) {
      var field = actions.get(i).getLast().replace("\"", "").replace(".", "");
      line.append(Listing.heading(field)).append(literals.get(i + 1));
    }
    return line.toString();
  }

  private static String value(List<String> words, Row row) {
    var first = words.getFirst();
    if (words.size() == 1 && first.startsWith(".")) {
      return text(path(first, row));
    }
    if (words.size() == 2 && first.equals("json")) {
      return SafeText.json(Json.text(path(words.get(1), row)));
    }
    if (words.size() == 2 && first.equals(".Label")) {
      return text(entry(row.field("LabelMap"), words.get(1)));
    }
    if (words.size() == 3 && first.equals("index")) {
      return text(entry(path(words.get(1), row), words.get(2)));
    }
    throw new UsageException(
        "format: '{{"
            + String.join(" ", words)
            + "}}' is not known; there are {{.Field}},"
            + " {{json .Field}} and {{index .Field \"key\"}}");
  }

  private static Object entry(Object map, String quoted) {
    if (!(map instanceof Map<?, ?> entries)) {
      throw new UsageException("format: '" + quoted + "' is looked up in what is no map");
    }
    var value = entries.get(quoted.replace("\"", ""));
    return value == null ? "" : value;
  }

  private static Object path(String path, Row row) {
    if (path.equals(".")) {
      var all = new LinkedHashMap<String, Object>();
      for (var name : row.names()) {
        all.put(name, row.field(name));
      }
      return all;
    }
    if (!path.startsWith(".")) {
      throw new UsageException("format: '" + path + "' is no field: say '." + path + "'");
    }
    var names = path.substring(1).split("\\.", -1);
    Object value = row.field(names[0]);
    for (int i = 1; i < names.length; i++) {
      if (!(value instanceof Map<?, ?> map)) {
        throw new UsageException(
            "format: '" + path + "': there is nothing in '" + names[i - 1] + "'");
      }
      value = map.get(names[i]);
      if (value == null) {
        throw new UsageException("format: there is no field '" + path + "'");
      }
    }
    return value;
  }

  private static String text(Object value) {
    if (value instanceof Map<?, ?> map) {
      var text = new StringBuilder("map[");
      for (var entry : map.entrySet()) {
        text.append(text.length() == 4 ? "" : " ")
            .append(SafeText.of(String.valueOf(entry.getKey())));
        text.append(':').append(text(entry.getValue()));
      }
      return text.append(']').toString();
    }
    if (value instanceof List<?> list) {
      var text = new StringBuilder("[");
      for (var item : list) {
        text.append(text.length() == 1 ? "" : " ").append(text(item));
      }
      return text.append(']').toString();
    }
    return SafeText.of(String.valueOf(value));
  }
}
