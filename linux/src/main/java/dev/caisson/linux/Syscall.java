package dev.caisson.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * A function of the C library, bound once and called with its error number caught.
 *
 * <p>Arguments are given in the C order and must match the layouts: {@code int} for {@code
 * JAVA_INT}, {@code long} for {@code JAVA_LONG}, {@link MemorySegment} for {@code ADDRESS}. Whether
 * a call is repeated after EINTR is the caller's choice: {@link #call} gives up, {@link
 * #callThroughSignals} goes on. Safe for use by many threads. A call that can block belongs on a
 * platform thread, since it holds the carrier of a virtual one.
 */
public final class Syscall {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup LIBRARY = LINKER.defaultLookup();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  /** Where the error number of this thread's call goes; a thread makes one call at a time. */
  private static final ThreadLocal<MemorySegment> CAPTURED =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

  private final String name;
  private final MethodHandle handle;
  private final Object[] leading;

  private Syscall(String name, MethodHandle handle, Object... leading) {
    this.name = name;
    this.handle = handle;
    this.leading = leading;
  }

  /**
   * Binds a function with a fixed list of parameters.
   *
   * @throws UnsupportedOperationException if the C library does not have it
   */
  public static Syscall of(String name, ValueLayout result, MemoryLayout... parameters) {
    return new Syscall(name, bind(name, FunctionDescriptor.of(result, parameters)));
  }

  /**
   * Binds a function declared with "..." after its first {@code fixed} parameters, such as openat,
   * fcntl or ioctl, for one list of arguments.
   *
   * @throws UnsupportedOperationException if the C library does not have it
   */
  public static Syscall variadic(
      String name, int fixed, ValueLayout result, MemoryLayout... parameters) {
    return new Syscall(
        name,
        bind(
            name,
            FunctionDescriptor.of(result, parameters),
            Linker.Option.firstVariadicArg(fixed)));
  }

  /**
   * Binds a system call that the C library has no function for. Numbers from 424 on are the same on
   * all architectures. Source: syscall(2).
   */
  public static Syscall numbered(String name, long number, MemoryLayout... parameters) {
    var layouts = new ArrayList<MemoryLayout>();
    layouts.add(ValueLayout.JAVA_LONG);
    layouts.addAll(List.of(parameters));
    var descriptor =
        FunctionDescriptor.of(ValueLayout.JAVA_LONG, layouts.toArray(MemoryLayout[]::new));
    var handle = bind("syscall", descriptor, Linker.Option.firstVariadicArg(1));
    return new Syscall(name, handle, number);
  }

  @SuppressWarnings("restricted") // the one place that binds native code; signatures are checked
  // against the manual page named at each constant
  private static MethodHandle bind(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    var all = new ArrayList<>(List.of(options));
    all.add(Linker.Option.captureCallState("errno"));
    var symbol =
        LIBRARY
            .find(name)
            .orElseThrow(
                () -> new UnsupportedOperationException("the C library has no '" + name + "'"));
    var bound = LINKER.downcallHandle(symbol, descriptor, all.toArray(Linker.Option[]::new));
    var spread = bound.asSpreader(Object[].class, descriptor.argumentLayouts().size());
    if (spread.type().returnType() == MemorySegment.class) {
      spread = java.lang.invoke.MethodHandles.filterReturnValue(spread, ADDRESS_OF);
    }
    return spread.asType(MethodType.methodType(long.class, MemorySegment.class, Object[].class));
  }

  private static final MethodHandle ADDRESS_OF = addressOf();

  private static MethodHandle addressOf() {
    try {
      return java.lang.invoke.MethodHandles.lookup()
          .findVirtual(MemorySegment.class, "address", MethodType.methodType(long.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The function's name, or the system call's. */
  public String name() {
    return name;
  }

  /**
   * Calls and returns the result.
   *
   * @param action what is being done, for the message of a failure, for example {@code unmount
   *     '/run/x'}
   * @throws KernelException if the result is -1; EINTR too
   */
  public long call(String action, Object... arguments) throws KernelException {
    long result = attempt(arguments);
    if (result < 0) {
      throw new KernelException(action, name, (int) -result);
    }
    return result;
  }

  /** Like {@link #call}, but calls again as long as a signal interrupts it. */
  public long callThroughSignals(String action, Object... arguments) throws KernelException {
    while (true) {
      long result = attempt(arguments);
      if (result >= 0) {
        return result;
      }
      if (result != -Errno.EINTR.number()) {
        throw new KernelException(action, name, (int) -result);
      }
    }
  }

  /** Calls and returns the result, or the negated error number if the result is -1. */
  public long attempt(Object... arguments) {
    MemorySegment state = CAPTURED.get();
    long result = invoke(state, arguments);
    return result == -1 ? -(int) ERRNO.get(state, 0L) : result;
  }

  /**
   * Calls and returns the result as it is, for functions that do not report through errno, such as
   * posix_spawn(3), whose result is the error number.
   */
  public long result(Object... arguments) {
    return invoke(CAPTURED.get(), arguments);
  }

  private long invoke(MemorySegment state, Object[] arguments) {
    Object[] all = arguments;
    if (leading.length > 0) {
      all = new Object[leading.length + arguments.length];
      System.arraycopy(leading, 0, all, 0, leading.length);
      System.arraycopy(arguments, 0, all, leading.length, arguments.length);
    }
    try {
      return (long) handle.invokeExact(state, all);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("call " + name, e);
    }
  }
}
