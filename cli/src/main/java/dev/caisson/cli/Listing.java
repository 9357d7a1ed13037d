package dev.caisson.cli;

import dev.caisson.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/** Rows as a table, as lines of JSON, or as a template says. */
final class Listing {
  private static final int GAP = 3;

  private final List<String> columns;
  private final Optional<String> format;

  /**
   * Makes a listing.
   *
   * @param columns fields of the table
   * @param format empty or {@code table} for the table, {@code json}, a template, or {@code table}
   *     and a template
   */
  Listing(List<String> columns, Optional<String> format) {
    this.columns = columns;
    this.format = format;
  }

  void print(Output out, List<? extends Row> rows) {
    var wanted = format.orElse("table");
    if (wanted.equals("table")) {
      printTable(out, rows);
    } else if (wanted.equals("json")) {
      for (var row : rows) {
        out.line(json(row));
      }
    } else if (wanted.startsWith("table ")) {
      printTemplateTable(out, rows, new Template(wanted.substring("table ".length())));
    } else {
      var template = new Template(wanted);
      for (var row : rows) {
        out.line(template.apply(row));
      }
    }
  }

  private static String json(Row row) {
    var tree = new LinkedHashMap<String, Object>();
    for (var name : row.names()) {
      tree.put(name, row.field(name));
    }
    return SafeText.json(Json.text(tree));
  }

  private void printTable(Output out, List<? extends Row> rows) {
    var lines = new ArrayList<String[]>(rows.size() + 1);
    var head = new String[columns.size()];
    for (int i = 0; i < head.length; i++) {
      head[i] = heading(columns.get(i));
    }
    lines.add(head);
    for (var row : rows) {
      var cells = new String[head.length];
      for (int i = 0; i < cells.length; i++) {
        cells[i] = SafeText.of(String.valueOf(row.field(columns.get(i))));
      }
      lines.add(cells);
    }
    align(out, lines);
  }

  private static void printTemplateTable(Output out, List<? extends Row> rows, Template template) {
    var lines = new ArrayList<String[]>(rows.size() + 1);
    lines.add(template.headings().split("\t", -1));
    for (var row : rows) {
      lines.add(template.apply(row).split("\t", -1));
    }
    align(out, lines);
  }

  /** Prints lines whose cells begin below one another. */
  static void align(Output out, List<String[]> lines) {
    var widths = new int[longest(lines)];
    for (var line : lines) {
      for (int i = 0; i < line.length; i++) {
        widths[i] = Math.max(widths[i], width(line[i]));
      }
    }
    for (var line : lines) {
      var text = new StringBuilder();
      for (int i = 0; i < line.length; i++) {
        text.append(line[i]);
        if (i < line.length - 1) {
          text.append(" ".repeat(widths[i] - width(line[i]) + GAP));
        }
      }
      out.line(text.toString().stripTrailing());
    }
  }

  private static int longest(List<String[]> lines) {
    int longest = 0;
    for (var line : lines) {
      longest = Math.max(longest, line.length);
    }
    return longest;
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }

  /** What stands above a column. */
  static String heading(String field) {
    return switch (field) {
      case "ID", "Container" -> "CONTAINER ID";
      case "RunningFor", "CreatedSince" -> "CREATED";
      case "CPUPerc" -> "CPU %";
      case "MemUsage" -> "MEM USAGE / LIMIT";
      case "MemPerc" -> "MEM %";
      case "BlockIO" -> "BLOCK I/O";
      case "ImageID" -> "IMAGE ID";
      case "CreatedAt" -> "CREATED AT";
      default -> field.toUpperCase(java.util.Locale.ROOT);
    };
  }
}
