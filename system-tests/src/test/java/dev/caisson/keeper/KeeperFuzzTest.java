package dev.caisson.keeper;

import dev.caisson.fuzz.Fuzzing;
import dev.caisson.linux.ProcessIdentity;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The keeper's log of exits and its messages, whatever is in them. */
@Tag("fuzz")
class KeeperFuzzTest {
  @Test
  void exitLogs(@TempDir Path directory) {
    var bytes = ByteBuffer.allocate(3 * ExitRecord.SIZE);
    for (int pid = 1; pid <= 3; pid++) {
      new ExitRecord(new ProcessIdentity(pid, 77), pid << 8, Instant.ofEpochSecond(pid))
          .writeTo(bytes);
    }
    Fuzzing.of("exits.log", List.of(bytes.array()))
        .run(input -> {
          Files.write(directory.resolve("exits.log"), input);
          KeeperLink.exitsOnDisk(directory);
        });
  }

  @Test
  void messages() {
    Fuzzing.of("messages of the keeper", List.of(Fuzzing.bytes("\1io/abc/def"), new byte[] {2}))
        .run(input -> {
          if (input.length > 0 && input.length <= Message.LONGEST) {
            Message.text(input, input.length);
          }
        });
  }
}
