package dev.caisson.engine;

import dev.caisson.engine.streams.DescriptorStore;
import dev.caisson.engine.streams.Pump;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Executor;

/**
 * What all tasks of one engine share.
 *
 * @param directory where tasks keep their records and sockets: {@code <run>/tasks}
 * @param sandbox the wall
 * @param exits where exits come from
 * @param store who holds descriptors beyond the daemon's death
 * @param pump moves the output
 * @param events where events go
 * @param clock tells the time of events
 * @param background runs what follows an exit; a thread for each, since it may block
 */
record Node(
    Path directory,
    Sandbox sandbox,
    Exits exits,
    DescriptorStore store,
    Pump pump,
    EventHub events,
    Clock clock,
    Executor background) {}
