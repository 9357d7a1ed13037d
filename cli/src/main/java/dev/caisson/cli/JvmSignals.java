package dev.caisson.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Signals as the JVM hands them out: by {@code sun.misc.Signal} of module {@code jdk.unsupported},
 * called by name since the compiler's warning about it cannot be suppressed.
 */
final class JvmSignals implements Signals {
  private static final int PREFIX = "SIG".length();

  @Override
  public void receive(List<String> names, Receiver receiver) {
    try {
      var signal = Class.forName("sun.misc.Signal");
      var handler = Class.forName("sun.misc.SignalHandler");
      var handle = signal.getMethod("handle", signal, handler);
      var named = signal.getConstructor(String.class);
      var proxy =
          Proxy.newProxyInstance(
              handler.getClassLoader(), new Class<?>[] {handler}, new Handler(receiver));
      for (var name : names) {
        try {
          handle.invoke(null, named.newInstance(name), proxy);
        } catch (InvocationTargetException taken) {
          // SIGQUIT: the JVM keeps it for its thread dump and cannot be talked out of it.
          continue;
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this Java has no sun.misc.Signal", e);
    }
  }

  private record Handler(Receiver receiver) implements InvocationHandler {
    @Override
    public Object invoke(Object self, Method method, Object[] arguments) {
      receiver.received(arguments[0].toString().substring(PREFIX));
      return this;
    }
  }
}
