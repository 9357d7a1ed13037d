package dev.caisson.oci.registry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One way a server offers to prove who asks. Source: RFC 9110, section 11.6.1.
 *
 * @param scheme in small letters: {@code basic}, {@code bearer}
 * @param parameters by name in small letters
 */
record Challenge(String scheme, Map<String, String> parameters) {

  /**
   * Reads the values of all WWW-Authenticate fields. A field may hold several challenges, which are
   * separated by the same comma as their parameters. What is not of the form is passed over, so
   * that a strange challenge does not hide a usable one.
   */
  static List<Challenge> parse(List<String> fields) {
    var challenges = new ArrayList<Challenge>();
    for (String field : fields) {
      new Parser(field).into(challenges);
    }
    return challenges;
  }

  private static final class Parser {
    private final String text;
    private int at;

    Parser(String text) {
      this.text = text;
    }

    void into(List<Challenge> challenges) {
      while (true) {
        skip(" \t,");
        if (at == text.length()) {
          return;
        }
        String scheme = token();
        if (scheme.isEmpty()) {
          at++;
          continue;
        }
        challenges.add(new Challenge(scheme.toLowerCase(Locale.ROOT), parameters()));
      }
    }

    private Map<String, String> parameters() {
      var parameters = new LinkedHashMap<String, String>();
      while (true) {
        int before = at;
        skip(" \t,");
        String name = token();
        skip(" \t");
        if (name.isEmpty() || at == text.length() || text.charAt(at) != '=') {
          // Not a parameter, so the name of the next challenge.
          at = before;
          return parameters;
        }
        at++;
        skip(" \t");
        parameters.putIfAbsent(name.toLowerCase(Locale.ROOT), value());
      }
    }

    private String value() {
      if (at == text.length() || text.charAt(at) != '"') {
        int start = at;
        while (at < text.length() && ", \t".indexOf(text.charAt(at)) < 0) {
          at++;
        }
        return text.substring(start, at);
      }
      var value = new StringBuilder();
      for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
        if (text.charAt(at) == '\\' && at + 1 < text.length()) {
          at++;
        }
        value.append(text.charAt(at));
      }
      at = Math.min(at + 1, text.length());
      return value.toString();
    }

    private String token() {
      int start = at;
      while (at < text.length() && isTokenCharacter(text.charAt(at))) {
        at++;
      }
      return text.substring(start, at);
    }

    private static boolean isTokenCharacter(char c) {
      return (c >= 'a' && c <= 'z')
          || (c >= 'A' && c <= 'Z')
          || (c >= '0' && c <= '9')
          || "!#$%&'*+-.^_`|~/".indexOf(c) >= 0;
    }

    private void skip(String characters) {
      while (at < text.length() && characters.indexOf(text.charAt(at)) >= 0) {
        at++;
      }
    }
  }
}
