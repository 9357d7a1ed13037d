package dev.caisson.engine.streams;

import dev.caisson.linux.Fd;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A client that is to get output.
 *
 * @param socket its connection
 * @param direct the client's own pipe, into which output goes instead of the connection, which then
 *     carries only what the pipe did not take to the end
 * @param parted told, before the connection is closed, how it ended; from the loop's thread
 */
public record Receiver(Fd socket, Optional<Fd> direct, Consumer<Parting> parted) {

  /** One with a connection and nothing else. */
  public static Receiver of(Fd socket) {
    return new Receiver(socket, Optional.empty(), _ -> {});
  }

  /** What the store has to hold of it. */
  List<Fd> held() {
    var all = new ArrayList<>(List.of(socket));
    direct.ifPresent(all::add);
    return all;
  }

  /** Lets it go before it was connected. */
  public void close() {
    socket.close();
    direct.ifPresent(Fd::close);
  }
}
