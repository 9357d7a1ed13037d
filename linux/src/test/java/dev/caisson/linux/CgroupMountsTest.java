package dev.caisson.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CgroupMountsTest {
  @Test
  void aLegacyMachine() throws IOException {
    var mounts =
        CgroupMounts.parse(
            MountTable.parse(
                """
                30 20 0:25 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755
                31 30 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
                32 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
                33 30 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,release_agent=/x,name=systemd
                34 30 0:27 / /other/memory rw - cgroup cgroup rw,memory
                """),
            """
            3:cpu,cpuacct:/user
            2:memory:/
            1:name=systemd:/user/session
            """,
            _ -> "");

    assertThat(mounts.layout()).isEqualTo(CgroupMounts.Layout.LEGACY);
    assertThat(mounts.hierarchies()).hasSize(3);
    assertThat(mounts.withController("cpuacct"))
        .map(CgroupHierarchy::mountPoint)
        .contains(Path.of("/sys/fs/cgroup/cpu,cpuacct"));
    assertThat(mounts.withController("cpu")).map(CgroupHierarchy::own).contains("/user");
    assertThat(mounts.withController("name=systemd"))
        .map(CgroupHierarchy::own)
        .contains("/user/session");
    assertThat(mounts.unified()).isEmpty();
  }

  @Test
  void aUnifiedMachineSeenFromAContainerWithoutItsOwnNamespace() throws IOException {
    var mounts =
        CgroupMounts.parse(
            MountTable.parse("31 30 0:26 /pod/a /sys/fs/cgroup rw - cgroup2 cgroup rw\n"),
            "0::/pod/a/init\n",
            _ -> "cpu memory pids");

    assertThat(mounts.layout()).isEqualTo(CgroupMounts.Layout.UNIFIED);
    assertThat(mounts.unified().orElseThrow().own()).isEqualTo("/init");
    assertThat(mounts.group("/x/y").file("memory", "memory.max"))
        .contains(new ControlFile(Path.of("/sys/fs/cgroup/x/y/memory.max")));
  }

  @Test
  void aHybridMachineTakesControllersFromTheLegacyTrees() throws IOException {
    var mounts =
        CgroupMounts.parse(
            MountTable.parse(
                """
                31 30 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
                32 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
                """),
            "1:memory:/\n0::/\n",
            _ -> "hugetlb");

    assertThat(mounts.layout()).isEqualTo(CgroupMounts.Layout.HYBRID);
    assertThat(mounts.group("/x").directory("memory")).contains(Path.of("/sys/fs/cgroup/memory/x"));
    assertThat(mounts.group("/x").directory("hugetlb"))
        .contains(Path.of("/sys/fs/cgroup/unified/x"));
    assertThat(mounts.group("/x").directory("cpu")).isEmpty();
  }
}
