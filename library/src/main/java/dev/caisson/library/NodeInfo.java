package dev.caisson.library;

import java.util.List;

/**
 * What a node is.
 *
 * @param version of the daemon
 * @param stateRoot where its state lies
 * @param runRoot where its run directory lies
 * @param kernel release of the kernel
 * @param architecture in OCI's words
 * @param cpus processors
 * @param memoryBytes memory of the machine
 * @param cgroups {@code v1}, {@code hybrid} or {@code v2}
 * @param runtime path of the low-level runtime that {@code auto} takes
 * @param runtimes all found, with their versions
 * @param containers number of containers
 * @param running of which running
 * @param images number of image names
 * @param daemonPid pid of the daemon
 * @param keeperPid pid of the keeper; 0 when it was lost
 * @param notes what is unusual, in sentences
 */
public record NodeInfo(
    String version,
    String stateRoot,
    String runRoot,
    String kernel,
    String architecture,
    int cpus,
    long memoryBytes,
    String cgroups,
    String runtime,
    List<String> runtimes,
    int containers,
    int running,
    int images,
    int daemonPid,
    int keeperPid,
    List<String> notes) {}
