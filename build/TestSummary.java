import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/**
 * Prints the end of a test run from the XML reports of all modules: failures, skipped groups with
 * their reason and how to run them, and one closing line in Surefire's form. Ends with 1 when a
 * test failed or none ran.
 *
 * <p>Use: {@code java build/TestSummary.java STATUS FOLDER...}, where STATUS is how Maven ended,
 * and where each folder may contain {@code surefire-reports} and {@code failsafe-reports}. A test
 * says why it is skipped in the message of its assumption: {@code group: reason; how to run}.
 */
final class TestSummary {
  private int run;
  private int failures;
  private int errors;
  private int skipped;
  private double seconds;
  private final List<String> broken = new ArrayList<>();

  /** Tests by what they say of why they were skipped. */
  private final Map<String, List<String>> skippedBecause = new TreeMap<>();

  public static void main(String[] arguments) throws IOException {
    var summary = new TestSummary();
    var status = Integer.parseInt(arguments[0]);
    for (var folder : List.of(arguments).subList(1, arguments.length)) {
      for (var reports : List.of("surefire-reports", "failsafe-reports")) {
        summary.readAll(Path.of(folder, reports));
      }
    }
    System.exit(summary.print(status));
  }

  private void readAll(Path reports) throws IOException {
    if (!Files.isDirectory(reports)) {
      return;
    }
    try (var files = Files.newDirectoryStream(reports, "TEST-*.xml")) {
      for (var file : files) {
        read(file);
      }
    }
  }

  private void read(Path report) throws IOException {
    try {
      var suite =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(report.toFile())
              .getDocumentElement();
      seconds += Double.parseDouble(suite.getAttribute("time").replace(",", ""));
      var cases = suite.getElementsByTagName("testcase");
      for (var i = 0; i < cases.getLength(); i++) {
        count((Element) cases.item(i));
      }
    } catch (ParserConfigurationException | SAXException e) {
      // A test JVM that died leaves half a report.
      errors++;
      broken.add("[ERROR] " + report + ": unreadable: " + e.getMessage());
    }
  }

  private void count(Element test) {
    var className = test.getAttribute("classname");
    var name =
        className.substring(className.lastIndexOf('.') + 1) + "." + test.getAttribute("name");
    run++;
    if (has(test, "failure")) {
      failures++;
      broken.add("[ERROR]   " + name + ": " + firstLine(test, "failure"));
    } else if (has(test, "error")) {
      errors++;
      broken.add("[ERROR]   " + name + ": " + firstLine(test, "error"));
    } else if (has(test, "skipped")) {
      skipped++;
      skippedBecause
          .computeIfAbsent(firstLine(test, "skipped"), reason -> new ArrayList<>())
          .add(name);
    }
  }

  private static boolean has(Element test, String outcome) {
    return test.getElementsByTagName(outcome).getLength() > 0;
  }

  private static String firstLine(Element test, String outcome) {
    var element = (Element) test.getElementsByTagName(outcome).item(0);
    var message = element.getAttribute("message");
    var text = message.isBlank() ? element.getTextContent() : message;
    return text.strip()
        .lines()
        .findFirst()
        .orElse("no reason given")
        .replaceFirst("^(org.opentest4j.TestAbortedException: )?Assumption failed: ", "");
  }

  private int print(int status) {
    if (!broken.isEmpty()) {
      System.out.println("[ERROR] Failures:");
      broken.forEach(System.out::println);
      System.out.println();
    }
    if (!skippedBecause.isEmpty()) {
      System.out.println("[WARNING] Skipped:");
      groups().forEach(TestSummary::printGroup);
      System.out.println();
    }
    if (status != 0) {
      System.out.println("[ERROR] Maven ended with " + status + ", see above");
      System.out.println();
    }
    var good = status == 0 && failures == 0 && errors == 0 && run > 0;
    System.out.printf(
        Locale.ROOT,
        "[%s] Tests run: %d, Failures: %d, Errors: %d, Skipped: %d, Time elapsed: %.1f s%n",
        good ? "INFO" : "ERROR",
        run,
        failures,
        errors,
        skipped,
        seconds);
    System.out.println(good ? "[INFO] BUILD SUCCESS" : "[ERROR] BUILD FAILURE");
    return good ? 0 : 1;
  }

  /** The skipped tests by group, the part of the message before the colon. */
  private Map<String, List<Map.Entry<String, List<String>>>> groups() {
    var groups = new LinkedHashMap<String, List<Map.Entry<String, List<String>>>>();
    for (var entry : skippedBecause.entrySet()) {
      var colon = entry.getKey().indexOf(": ");
      var group = colon < 0 ? "other" : entry.getKey().substring(0, colon);
      groups.computeIfAbsent(group, name -> new ArrayList<>()).add(entry);
    }
    return groups;
  }

  private static void printGroup(String group, List<Map.Entry<String, List<String>>> reasons) {
    System.out.println("[WARNING]   " + group);
    for (var reason : reasons) {
      var text =
          reason.getKey().startsWith(group + ": ")
              ? reason.getKey().substring(group.length() + 2)
              : reason.getKey();
      var how = text.indexOf("; ");
      System.out.println("[WARNING]     why: " + (how < 0 ? text : text.substring(0, how)));
      if (how >= 0) {
        System.out.println("[WARNING]     to run: " + text.substring(how + 2));
      }
      for (var test : reason.getValue()) {
        System.out.println("[WARNING]       " + test);
      }
    }
  }
}
