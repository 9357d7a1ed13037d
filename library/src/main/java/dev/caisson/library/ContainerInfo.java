package dev.caisson.library;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything known of a container.
 *
 * @param summary its line in the list
 * @param imageId digest of the image's config
 * @param settings what was asked for
 * @param pid the first process as the host sees it; 0 when not running
 * @param warnings what had to be done differently than asked
 * @param runtime path of the low-level runtime in use
 * @param cgroup path of its cgroup below each hierarchy's mount point
 * @param bundle directory with its config.json
 * @param rootfs where its root is mounted on the host
 * @param log file its output is written to; empty when none is kept
 * @param execs ids of the execs that run now
 * @param spec the runtime specification as handed to the low-level runtime
 */
public record ContainerInfo(
    ContainerSummary summary,
    String imageId,
    ContainerSettings settings,
    int pid,
    List<String> warnings,
    String runtime,
    String cgroup,
    String bundle,
    String rootfs,
    Optional<String> log,
    List<String> execs,
    Map<String, Object> spec) {}
