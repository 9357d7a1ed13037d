package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.fuzz.Fuzzing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Names that programs choose and the kernel puts into files of /proc. */
@Tag("fuzz")
class ProcFuzzTest {
  private static final int START_TIME = 12_345;

  @Test
  void namesOfProcesses() {
    Fuzzing.ofTexts("/proc/PID/stat", "sh", "a) S 1 2 3", "((", " ")
        .texts(name -> {
          var status =
              ProcessStatus.parse(
                  "7 ("
                      + name
                      + ") S 1 7 7 0 -1 4194560 1 0 0 0 3 4 0 0 20 0 1 0 "
                      + START_TIME
                      + " 0 0 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0\n");
          assertThat(status.startTime()).isEqualTo(START_TIME);
        });
  }

  /** Blank, tab, newline, backslash and # are octal there. Source: proc_pid_mountinfo(5). */
  @Test
  void namesOfDirectories() {
    Fuzzing.ofTexts("/proc/PID/mountinfo", "mnt 1", "a - b", "\\040")
        .texts(name -> {
          var path = "/" + name.replaceAll("[\\r\\n\u0085\u2028\u2029\f\u000b\0/]", "");
          var escaped = path.replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011");
          var table = MountTable.parse("36 35 98:0 / " + escaped + " rw - ext3 /dev/root rw\n");
          assertThat(table.mounts()).hasSize(1);
        });
  }
}
