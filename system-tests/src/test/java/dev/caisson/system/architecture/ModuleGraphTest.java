package dev.caisson.system.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The modules depend on one another as docs/architecture.md says, and on nothing else of ours. */
class ModuleGraphTest {
  private static final String OURS = "dev.caisson.";

  /** A dependency of a pom: everything of one element without elements of the same name in it. */
  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>.*?</dependency>", Pattern.DOTALL);

  private static final Pattern OUR_ARTIFACT =
      Pattern.compile("<artifactId>caisson-([a-z]+)</artifactId>");

  @Test
  void moduleDescriptorsRequireWhatThePictureSays() throws IOException {
    var required = new TreeMap<String, Set<String>>();
    for (var descriptor : descriptors()) {
      required.put(
          shortName(descriptor.name()),
          descriptor.requires().stream()
              .map(ModuleDescriptor.Requires::name)
              .filter(name -> name.startsWith(OURS))
              .map(ModuleGraphTest::shortName)
              .collect(Collectors.toCollection(TreeSet::new)));
    }

    assertThat(required).isEqualTo(AllowedGraph.read());
  }

  @Test
  void pomsNameWhatThePictureSays() {
    var allowed = AllowedGraph.read();

    var named = new TreeMap<String, Set<String>>();
    for (var module : allowed.keySet()) {
      var dependencies = new TreeSet<String>();
      DEPENDENCY
          .matcher(ProjectFiles.text(module + "/pom.xml"))
          .results()
          .map(dependency -> OUR_ARTIFACT.matcher(dependency.group()))
          .filter(artifact -> artifact.find() && !artifact.group(1).equals("picocli"))
          .forEach(artifact -> dependencies.add(artifact.group(1)));
      named.put(module, dependencies);
    }

    assertThat(named).isEqualTo(allowed);
  }

  @Test
  void onlyModuleLinuxCallsNativeCode() {
    var callers = new ArrayList<String>();
    for (var module : AllowedGraph.read().keySet()) {
      for (var source : ProjectFiles.sources(module + "/src/main/java")) {
        var path = ProjectFiles.TOP.relativize(source).toString();
        if (!module.equals("linux")
            && ProjectFiles.text(path).contains("java.lang.foreign.Linker")) {
          callers.add(path);
        }
      }
    }

    assertThat(callers).isEmpty();
  }

  /** The descriptors of our modules on the class path of this test, which are all of them. */
  private static List<ModuleDescriptor> descriptors() throws IOException {
    var found = new ArrayList<ModuleDescriptor>();
    var loader = ModuleGraphTest.class.getClassLoader();
    for (var resource : Collections.list(loader.getResources("module-info.class"))) {
      try (var bytes = resource.openStream()) {
        var descriptor = ModuleDescriptor.read(bytes);
        if (descriptor.name().startsWith(OURS)) {
          found.add(descriptor);
        }
      }
    }
    return found;
  }

  private static String shortName(String module) {
    return module.substring(OURS.length());
  }
}
