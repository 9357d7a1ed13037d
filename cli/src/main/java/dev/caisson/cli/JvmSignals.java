package dev.caisson.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Signals as the JVM hands them out: by {@code sun.misc.Signal} of module {@code jdk.unsupported},
 * called by name since the compiler's warning about it cannot be suppressed.
 */
final class JvmSignals implements Signals {
  @Override
  public boolean receive(String name, Receiver receiver) {
    try {
      var signal = Class.forName("sun.misc.Signal");
      var handler = Class.forName("sun.misc.SignalHandler");
      var proxy =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                receiver.received(name);
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
      return true;
    } catch (InvocationTargetException taken) {
      // SIGQUIT: the JVM keeps it for its thread dump and cannot be talked out of it.
      return false;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this Java has no sun.misc.Signal", e);
    }
  }
}
