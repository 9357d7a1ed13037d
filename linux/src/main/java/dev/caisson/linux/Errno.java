package dev.caisson.linux;

import java.util.HashMap;
import java.util.Map;

/**
 * The kernel's error numbers, with a short text each.
 *
 * <p>Numbers are those of the generic table, which x86-64 and arm64 share. A number that is not in
 * the table reads as {@link #UNKNOWN}; {@link KernelException#number()} still tells it. Source:
 * errno(3).
 */
public enum Errno {
  /** A number this table does not know. */
  UNKNOWN(-1, "unknown error"),
  EPERM(1, "operation not permitted"),
  ENOENT(2, "no such file or directory"),
  ESRCH(3, "no such process"),
  EINTR(4, "interrupted by a signal"),
  EIO(5, "input or output error"),
  ENXIO(6, "no such device or address"),
  E2BIG(7, "argument list too long"),
  ENOEXEC(8, "not an executable format"),
  EBADF(9, "bad file descriptor"),
  ECHILD(10, "no such child"),
  EAGAIN(11, "not ready, try again"),
  ENOMEM(12, "out of memory"),
  EACCES(13, "permission denied"),
  EFAULT(14, "bad address"),
  ENOTBLK(15, "not a block device"),
  EBUSY(16, "busy"),
  EEXIST(17, "exists already"),
  EXDEV(18, "on another file system"),
  ENODEV(19, "no such device"),
  ENOTDIR(20, "not a directory"),
  EISDIR(21, "is a directory"),
  EINVAL(22, "invalid argument"),
  ENFILE(23, "too many open files in the system"),
  EMFILE(24, "too many open files in this process"),
  ENOTTY(25, "not a terminal, or the request does not fit the descriptor"),
  ETXTBSY(26, "the program is being executed"),
  EFBIG(27, "file too large"),
  ENOSPC(28, "no space left on the device"),
  ESPIPE(29, "cannot seek"),
  EROFS(30, "read-only file system"),
  EMLINK(31, "too many links"),
  EPIPE(32, "nobody reads the other end"),
  EDOM(33, "outside the function's domain"),
  ERANGE(34, "out of range"),
  EDEADLK(35, "would deadlock"),
  ENAMETOOLONG(36, "name too long"),
  ENOLCK(37, "no locks available"),
  ENOSYS(38, "the kernel does not have this call"),
  ENOTEMPTY(39, "directory not empty"),
  ELOOP(40, "too many symbolic links, or a link where none is allowed"),
  ENODATA(61, "no data"),
  ETIME(62, "timer expired"),
  EPROTO(71, "protocol error"),
  EBADMSG(74, "bad message"),
  EOVERFLOW(75, "value too large"),
  EUSERS(87, "too many users"),
  ENOTSOCK(88, "not a socket"),
  EDESTADDRREQ(89, "destination address required"),
  EMSGSIZE(90, "message too long"),
  EPROTOTYPE(91, "wrong protocol for the socket"),
  ENOPROTOOPT(92, "protocol option not available"),
  EPROTONOSUPPORT(93, "protocol not supported"),
  EOPNOTSUPP(95, "operation not supported"),
  EAFNOSUPPORT(97, "address family not supported"),
  EADDRINUSE(98, "address in use"),
  EADDRNOTAVAIL(99, "address not available"),
  ENETDOWN(100, "network is down"),
  ENETUNREACH(101, "network unreachable"),
  ECONNABORTED(103, "connection aborted"),
  ECONNRESET(104, "connection reset by the other side"),
  ENOBUFS(105, "no buffer space"),
  EISCONN(106, "connected already"),
  ENOTCONN(107, "not connected"),
  ETIMEDOUT(110, "timed out"),
  ECONNREFUSED(111, "connection refused"),
  EHOSTUNREACH(113, "host unreachable"),
  EALREADY(114, "under way already"),
  EINPROGRESS(115, "in progress"),
  ESTALE(116, "stale file handle"),
  EUCLEAN(117, "the file system needs repair"),
  EDQUOT(122, "disk quota exceeded"),
  ECANCELED(125, "cancelled");

  private static final Map<Integer, Errno> BY_NUMBER = new HashMap<>();

  static {
    for (Errno errno : values()) {
      BY_NUMBER.put(errno.number, errno);
    }
  }

  private final int number;
  private final String text;

  Errno(int number, String text) {
    this.number = number;
    this.text = text;
  }

  /** The constant of {@code number}, {@link #UNKNOWN} if the table has none. */
  public static Errno of(int number) {
    return BY_NUMBER.getOrDefault(number, UNKNOWN);
  }

  /** The kernel's number; -1 for {@link #UNKNOWN}. */
  public int number() {
    return number;
  }

  /** What the number means, in a few words. */
  public String text() {
    return text;
  }
}
