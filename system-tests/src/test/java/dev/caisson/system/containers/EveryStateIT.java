package dev.caisson.system.containers;

import static dev.caisson.system.TestNode.BUSYBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.Reason;
import dev.caisson.system.Leftovers;
import dev.caisson.system.TestNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command in every state of a container: what Docker's would answer, and nothing left. */
@Tag("root")
class EveryStateIT {
  /** A table of exit codes; {@code -} where a command would wait for something to happen. */
  private static final String TABLE =
      """
                  start  stop  kill  wait  rm  rm-f  pause  unpause  exec  attach  logs  update
      created     0      0     1     -     0   0     1      1        125   1       0     0
      running     0      0     0     -     1   0     0      1        0     -       0     0
      paused      1      0     0     -     1   0     1      0        125   1       0     0
      exited      0      0     1     0     0   0     1      1        125   1       0     0
      removed     1      1     1     1     1   0     1      1        125   1       1     1
      """;

  private static final int AT_ONCE = 10;
  private static final String NAME = "subject";

  private static TestNode node;

  private Leftovers leftovers;

  @BeforeAll
  static void open() throws Exception {
    node = TestNode.open();
    var id = node.start("sleep 1000");
    node.exec(id, "true");
    node.containers().remove(id, true);
    node.cli("run", "--rm", BUSYBOX, "true");
    // As many connections as the library keeps open for later.
    atOnce(Collections.nCopies(AT_ONCE, () -> node.caisson().info()));
  }

  @AfterAll
  static void close() {
    node.close();
  }

  @BeforeEach
  void lookBefore() {
    leftovers = Leftovers.before(node);
  }

  @AfterEach
  void nothingIsLeftOver() throws Exception {
    for (var container : node.containers().list()) {
      node.containers().remove(container.id(), true);
    }
    leftovers.assertNone();
  }

  static Stream<Arguments> answers() {
    var lines = TABLE.lines().map(line -> line.strip().split("\\s+")).toList();
    var commands = lines.getFirst();
    return lines.stream()
        .skip(1)
        .flatMap(line ->
            Stream.iterate(1, i -> i < line.length, i -> i + 1)
                .filter(i -> !line[i].equals("-"))
                .map(i -> Arguments.of(line[0], commands[i - 1], Integer.parseInt(line[i]))));
  }

  @ParameterizedTest(name = "{1} of a container that is {0} answers {2}")
  @MethodSource("answers")
  void eachCommandAnswersAsDockers(String state, String command, int code) throws Exception {
    bring(state);

    var ran = node.cli(words(command));

    assertThat(ran.status()).as(ran.err()).isEqualTo(code);
    assertThat(ran.err()).doesNotContain("Exception", "defect");
    if (code != 0) {
      assertThat(ran.err()).startsWith("caisson: ").contains("'" + NAME + "'");
    }
  }

  private static void bring(String state) {
    if (state.equals("removed")) {
      return;
    }
    var settings =
        ContainerSettings.of(
                BUSYBOX, "sh", "-c", state.equals("exited") ? "exit 0" : "exec sleep 1000")
            .withName(NAME);
    node.containers().create(settings);
    if (state.equals("created")) {
      return;
    }
    node.containers().start(NAME);
    switch (state) {
      case "paused" -> node.containers().pause(NAME);
      case "exited" -> node.containers().await(NAME);
      default -> assertThat(state).isEqualTo("running");
    }
  }

  private static String[] words(String command) {
    return switch (command) {
      case "stop" -> new String[] {"stop", "-t", "0", NAME};
      case "rm-f" -> new String[] {"rm", "-f", NAME};
      case "exec" -> new String[] {"exec", NAME, "true"};
      case "update" -> new String[] {"update", "--pids-limit", "100", NAME};
      default -> new String[] {command, NAME};
    };
  }

  @Test
  void whatManyDoToOneContainerAtOnceLeavesNothing() throws Exception {
    var refusals = EnumSet.of(Reason.NOT_FOUND, Reason.WRONG_STATE, Reason.ALREADY_EXISTS);
    for (int round = 0; round < 8; round++) {
      bring("running");
      var works =
          new ArrayList<Callable<Object>>(
              List.of(
                  () -> done(() -> node.containers().remove(NAME, true)),
                  () -> done(() -> node.containers().remove(NAME, true)),
                  () -> done(() -> node.containers().stop(NAME, Optional.of(Duration.ZERO))),
                  () -> done(() -> node.containers().kill(NAME, "TERM", true)),
                  () -> done(() -> node.containers().pause(NAME)),
                  () -> done(() -> node.containers().unpause(NAME)),
                  () -> node.exec(NAME, "true"),
                  () -> node.containers().inspect(NAME),
                  () -> done(() -> node.containers().start(NAME))));

      var failures = atOnce(works);

      assertThat(failures)
          .allSatisfy(failure ->
              assertThat(failure)
                  .isInstanceOfSatisfying(
                      CaissonException.class, e -> assertThat(e.reason()).isIn(refusals)));
      assertThat(node.containers().list()).isEmpty();
    }
  }

  private static Object done(Runnable work) {
    work.run();
    return "done";
  }

  private static List<Throwable> atOnce(List<Callable<Object>> works) throws Exception {
    var line = new CyclicBarrier(works.size());
    var failures = new ArrayList<Throwable>();
    try (var threads = Executors.newFixedThreadPool(works.size())) {
      var futures = new ArrayList<Future<Object>>();
      for (var work : works) {
        futures.add(
            threads.submit(() -> {
              line.await();
              return work.call();
            }));
      }
      for (var future : futures) {
        try {
          future.get();
        } catch (ExecutionException e) {
          failures.add(e.getCause());
        }
      }
    }
    return failures;
  }
}
