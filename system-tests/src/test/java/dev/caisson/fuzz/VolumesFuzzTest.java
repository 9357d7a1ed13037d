package dev.caisson.fuzz;

import dev.caisson.library.ByteSizes;
import dev.caisson.library.VolumeSpecs;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Words of the command line that the library understands. */
@Tag("fuzz")
class VolumesFuzzTest {
  @Test
  void volumes() {
    Fuzzing.ofTexts("volumes", "/data:/data:ro,Z", "./a:/b", "/a:/b:rw,rslave")
        .refusedBy(IllegalArgumentException.class)
        .texts(text -> VolumeSpecs.volume(text, Path.of("/work")));
  }

  @Test
  void mounts() {
    Fuzzing.ofTexts(
            "mounts",
            "type=bind,src=/a,dst=/b,readonly",
            "type=tmpfs,dst=/t,tmpfs-size=64m,tmpfs-mode=1777",
            "type=bind,\"src=/a,b\",dst=/c,bind-propagation=rslave")
        .refusedBy(IllegalArgumentException.class)
        .texts(VolumeSpecs::mount);
  }

  @Test
  void temporaryFileSystems() {
    Fuzzing.ofTexts("tmpfs", "/run:size=64m,mode=1777,noexec", "/t")
        .refusedBy(IllegalArgumentException.class)
        .texts(VolumeSpecs::tmpfs);
  }

  @Test
  void sizes() {
    Fuzzing.ofTexts("sizes", "64m", "1.5GiB", "100", "7kb")
        .refusedBy(IllegalArgumentException.class)
        .texts(ByteSizes::parse);
  }
}
