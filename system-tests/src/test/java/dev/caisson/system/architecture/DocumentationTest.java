package dev.caisson.system.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** What a module exports is documented where it is declared. */
class DocumentationTest {
  private static final Pattern EXPORT = Pattern.compile("exports\\s+([\\w.]+)");

  @Test
  void everyPublicTypeAndMethodOfAnExportedPackageHasJavadoc() throws IOException {
    var undocumented = new ArrayList<String>();
    for (var module : AllowedGraph.read().keySet()) {
      undocumented.addAll(undocumented(exportedSources(module)));
    }

    assertThat(undocumented).isEmpty();
  }

  private static List<Path> exportedSources(String module) {
    var sources = module + "/src/main/java";
    var descriptor = ProjectFiles.text(sources + "/module-info.java");
    return EXPORT
        .matcher(descriptor)
        .results()
        .map(export -> sources + "/" + export.group(1).replace('.', '/'))
        .flatMap(folder -> ProjectFiles.sources(folder).stream().filter(file -> in(file, folder)))
        .toList();
  }

  private static boolean in(Path file, String folder) {
    return file.getParent().equals(ProjectFiles.TOP.resolve(folder));
  }

  private static List<String> undocumented(List<Path> sources) throws IOException {
    if (sources.isEmpty()) {
      return List.of();
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
      var task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      var search = new Search(DocTrees.instance(task));
      for (var unit : task.parse()) {
        search.scan(unit, null);
      }
      return search.undocumented;
    }
  }

  /** Walks through public declarations only: what lies in a hidden type is hidden too. */
  private static final class Search extends TreePathScanner<Void, Void> {
    final List<String> undocumented = new ArrayList<>();
    private final DocTrees docs;
    private CompilationUnitTree unit;

    Search(DocTrees docs) {
      this.docs = docs;
    }

    @Override
    public Void visitCompilationUnit(CompilationUnitTree node, Void unused) {
      unit = node;
      return super.visitCompilationUnit(node, unused);
    }

    @Override
    public Void visitClass(ClassTree node, Void unused) {
      if (!isPublic(node.getModifiers())) {
        return null;
      }
      require(node.getSimpleName().toString(), node);
      return super.visitClass(node, unused);
    }

    @Override
    public Void visitMethod(MethodTree node, Void unused) {
      var overrides =
          node.getModifiers().getAnnotations().stream()
              .anyMatch(annotation -> annotation.getAnnotationType().toString().equals("Override"));
      var constructorOfRecord =
          node.getReturnType() == null && enclosing().getKind() == Tree.Kind.RECORD;
      if (isPublic(node.getModifiers()) && !overrides && !constructorOfRecord) {
        require(enclosing().getSimpleName() + "." + node.getName(), node);
      }
      return null;
    }

    private ClassTree enclosing() {
      return (ClassTree) getCurrentPath().getParentPath().getLeaf();
    }

    /** Members of an interface are public without saying so. */
    private boolean isPublic(ModifiersTree modifiers) {
      var flags = modifiers.getFlags();
      return flags.contains(Modifier.PUBLIC)
          || (!flags.contains(Modifier.PRIVATE)
              && getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.INTERFACE);
    }

    private void require(String name, Tree node) {
      if (docs.getDocCommentTree(TreePath.getPath(unit, node)) == null) {
        undocumented.add(unit.getPackageName() + "." + name);
      }
    }
  }
}
