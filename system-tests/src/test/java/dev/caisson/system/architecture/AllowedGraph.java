package dev.caisson.system.architecture;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The table of {@code docs/architecture.md} that says which module requires which of ours. */
final class AllowedGraph {
  private static final Pattern ROW =
      Pattern.compile("^\\| `([a-z]+)` \\|((?: *`[a-z]+`,?)*) *\\|$");

  private AllowedGraph() {}

  static Map<String, Set<String>> read() {
    var graph = new TreeMap<String, Set<String>>();
    ProjectFiles.text("docs/architecture.md")
        .lines()
        .dropWhile(line -> !line.equals("| module | requires |"))
        .takeWhile(line -> line.startsWith("|"))
        .map(ROW::matcher)
        .filter(row -> row.matches())
        .forEach(row -> graph.put(row.group(1), names(row.group(2))));
    return graph;
  }

  private static Set<String> names(String cell) {
    return Arrays.stream(cell.split("[ `,]+"))
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
