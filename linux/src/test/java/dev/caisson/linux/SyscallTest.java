package dev.caisson.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class SyscallTest {
  private static final Syscall RMDIR = Syscall.of("rmdir", JAVA_INT, ADDRESS);
  private static final Syscall GETPID = Syscall.of("getpid", JAVA_INT);
  private static final Syscall PIDFD_OPEN = Syscall.numbered("pidfd_open", 434, JAVA_INT, JAVA_INT);

  @Test
  void aFailedCallNamesActionCallAndError() {
    try (var arena = Arena.ofConfined()) {
      var path = arena.allocateFrom("/no/such/directory");

      var failure =
          catchThrowableOfType(
              KernelException.class, () -> RMDIR.call("remove '/no/such/directory'", path));

      assertThat(failure)
          .hasMessage(
              "remove '/no/such/directory': rmdir failed, ENOENT (no such file or directory)");
      assertThat(failure.errno()).isEqualTo(Errno.ENOENT);
      assertThat(failure.number()).isEqualTo(2);
      assertThat(failure.call()).isEqualTo("rmdir");
    }
  }

  @Test
  void anAttemptReturnsTheNegatedErrorNumber() {
    try (var arena = Arena.ofConfined()) {
      assertThat(RMDIR.attempt(arena.allocateFrom("/proc"))).isIn(-16L, -39L, -1L);
    }
  }

  @Test
  void aCallWithoutLibraryFunctionGoesThroughItsNumber() throws KernelException {
    long self = GETPID.call("ask for the process id");

    try (var process = new Fd((int) PIDFD_OPEN.call("open process", (int) self, 0))) {
      assertThat(self).isEqualTo(ProcessHandle.current().pid());
      assertThat(process.isOpen()).isTrue();
    }
  }

  @Test
  void aFunctionTheLibraryLacksIsRefusedByName() {
    assertThatThrownBy(() -> Syscall.of("no_such_call", JAVA_INT))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("no_such_call");
  }

  @Test
  void anUnknownErrorNumberIsStillTold() {
    var failure = new KernelException("do it", "call", 4000);

    assertThat(failure.errno()).isEqualTo(Errno.UNKNOWN);
    assertThat(failure.number()).isEqualTo(4000);
    assertThat(failure).hasMessage("do it: call failed, errno 4000");
  }
}
