/**
 * Linux as Java sees it here: descriptors, directory handles, mounts and control groups.
 *
 * <p>Every call goes through {@link dev.caisson.linux.Syscall}, which is the only user of {@code
 * java.lang.foreign} downcalls; failures are {@link dev.caisson.linux.KernelException}s. Things
 * that hold something of the kernel's are {@link AutoCloseable}.
 */
@NullMarked
package dev.caisson.linux;

import org.jspecify.annotations.NullMarked;
