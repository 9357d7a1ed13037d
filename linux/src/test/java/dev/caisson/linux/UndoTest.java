package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class UndoTest {
  private final ArrayList<String> closed = new ArrayList<>();

  @Test
  void ownedThingsAreClosedLastFirst() throws IOException {
    try (var undo = new Undo()) {
      undo.own(() -> closed.add("first"));
      undo.own(() -> closed.add("second"));
    }

    assertThat(closed).containsExactly("second", "first");
  }

  @Test
  void keptThingsStayOpenUntilTheKeeperCloses() throws IOException {
    Undo kept;
    try (var undo = new Undo()) {
      undo.own(() -> closed.add("thing"));
      kept = undo.keep();
    }
    assertThat(closed).isEmpty();

    kept.close();
    kept.close();

    assertThat(closed).containsExactly("thing");
  }

  @Test
  void laterFailuresJoinTheFirstAndTheRestIsStillClosed() {
    var undo = new Undo();
    undo.own(() -> closed.add("bottom"));
    undo.own(() -> {
      throw new IOException("second");
    });
    undo.own(() -> {
      throw new IOException("first");
    });

    var failure = catchThrowableOfType(IOException.class, undo::close);

    assertThat(failure).hasMessage("first");
    assertThat(failure.getSuppressed()).singleElement().extracting("message").isEqualTo("second");
    assertThat(closed).containsExactly("bottom");
  }

  @Test
  void aCheckedFailureOfAnotherKindBecomesTheCause() {
    var undo = new Undo();
    undo.own(() -> {
      throw new Exception("odd");
    });

    var failure = catchThrowableOfType(IOException.class, undo::close);

    assertThat(failure).hasMessage("undo: odd").hasCauseInstanceOf(Exception.class);
  }
}
