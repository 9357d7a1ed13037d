package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FdTest {
  private static final Syscall EVENTFD = Syscall.of("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final Syscall PIPE2 = Syscall.of("pipe2", JAVA_INT, ADDRESS, JAVA_INT);

  @Test
  void closingTwiceClosesOnce() throws KernelException {
    var fd = new Fd((int) EVENTFD.call("make an event", 0, 0));
    Path entry = Path.of("/proc/self/fd/" + fd.number());
    assertThat(Files.exists(entry)).isTrue();

    fd.close();
    fd.close();

    assertThat(fd.isOpen()).isFalse();
    assertThatThrownBy(fd::number).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aReleasedDescriptorStaysOpen() throws KernelException {
    var fd = new Fd((int) EVENTFD.call("make an event", 0, 0));

    int number = fd.release();
    fd.close();

    try (var again = new Fd(number)) {
      assertThat(Files.exists(Path.of("/proc/self/fd/" + again.number()))).isTrue();
    }
  }

  @Test
  void whatIsWrittenIntoAPipeIsReadFromItsDuplicate() throws KernelException {
    try (var arena = Arena.ofConfined()) {
      var ends = arena.allocate(JAVA_INT, 2);
      PIPE2.call("make a pipe", ends, 0);
      try (var reader = new Fd(ends.getAtIndex(JAVA_INT, 0));
          var second = reader.duplicate()) {
        try (var writer = new Fd(ends.getAtIndex(JAVA_INT, 1))) {
          writer.write(arena.allocateFrom("word").asSlice(0, 4));
        }

        var buffer = arena.allocate(16);

        assertThat(second.read(buffer)).isEqualTo(4);
        assertThat(buffer.getString(0)).isEqualTo("word");
        assertThat(second.read(buffer)).isZero();
      }
    }
  }

  @Test
  void aNegativeNumberIsRefused() {
    assertThatThrownBy(() -> new Fd(-1)).isInstanceOf(IllegalArgumentException.class);
  }
}
