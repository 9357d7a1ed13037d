package dev.caisson.library.protocol;

import dev.caisson.json.Name;
import dev.caisson.json.Tagged;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.EventFilter;
import dev.caisson.library.ExecSettings;
import dev.caisson.library.Images;
import dev.caisson.library.Limits;
import dev.caisson.library.LogSettings;
import dev.caisson.library.TerminalSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Everything a client can ask; the daemon answers each in one exhaustive switch. */
@Tagged("call")
public sealed interface Request {

  /** {@code Containers.create}; result {@code Created}. */
  @Name("container.create")
  record Create(ContainerSettings settings) implements Request {}

  /** {@code Containers.start}. */
  @Name("container.start")
  record Start(String container) implements Request {}

  /** {@code Containers.attach}; result {@link Attached}. */
  @Name("container.attach")
  record Attach(String container) implements Request {}

  /** {@code Containers.await}, or that of an exec; result {@code ExitStatus}. */
  @Name("container.wait")
  record Await(String container, Optional<String> exec) implements Request {}

  /** {@code Containers.stop}. */
  @Name("container.stop")
  record Stop(String container, Optional<Duration> grace) implements Request {}

  /** {@code Containers.kill}, or of an exec. */
  @Name("container.kill")
  record Kill(String container, Optional<String> exec, String signal, boolean all)
      implements Request {}

  /** {@code Containers.pause}. */
  @Name("container.pause")
  record Pause(String container) implements Request {}

  /** {@code Containers.unpause}. */
  @Name("container.unpause")
  record Unpause(String container) implements Request {}

  /** {@code Containers.remove}. */
  @Name("container.remove")
  record Remove(String container, boolean force) implements Request {}

  /** {@code Containers.update}; result list of warnings. */
  @Name("container.update")
  record Update(String container, Limits limits) implements Request {}

  /** {@code Containers.stats}; result {@code Stats}. */
  @Name("container.stats")
  record ReadStats(String container) implements Request {}

  /** {@code Containers.top}; result list of {@code ProcessEntry}. */
  @Name("container.top")
  record Top(String container) implements Request {}

  /** {@code Containers.inspect}; result {@code ContainerInfo}. */
  @Name("container.inspect")
  record Inspect(String container) implements Request {}

  /** {@code Containers.list}; result list of {@code ContainerSummary}. */
  @Name("container.list")
  record ListContainers() implements Request {}

  /** {@code Containers.logs}; items {@code LogReader.Entry}. */
  @Name("container.logs")
  record Logs(String container, LogSettings settings) implements Request {}

  /** {@code Containers.exec} and {@code execDetached}; result {@link Attached}. */
  @Name("container.exec")
  record Exec(String container, ExecSettings settings, boolean detached) implements Request {}

  /** {@code Containers.resize}. */
  @Name("container.resize")
  record Resize(String container, Optional<String> exec, TerminalSize size) implements Request {}

  /**
   * Turns this connection into a stream of an attachment: {@code stdin}, {@code stdout}, {@code
   * stderr} or {@code archive}.
   *
   * <p>Result {@link StreamOpened}.
   *
   * @param direct the client's own descriptor into which output goes where it is a pipe; see the
   *     package's description
   */
  @Name("stream.open")
  record OpenStream(String token, String stream, Optional<Integer> direct) implements Request {}

  /** How a stream of output ended, asked when it has; result {@link StreamEnd}. */
  @Name("stream.end")
  record EndOfStream(String token, String stream) implements Request {}

  /** Starts an exec that was made with an attachment, once its streams are connected. */
  @Name("exec.start")
  record StartExec(String container, String exec) implements Request {}

  /** {@code Images.pull}; items {@code TransferProgress}; result the id. */
  @Name("image.pull")
  record Pull(Images.PullSettings settings, User user) implements Request {}

  /** {@code Images.push}; items {@code TransferProgress}; result the digest. */
  @Name("image.push")
  record Push(Images.PushSettings settings, User user) implements Request {}

  /** {@code Images.list}; result list of {@code ImageSummary}. */
  @Name("image.list")
  record ListImages() implements Request {}

  /** {@code Images.inspect}; result a tree. */
  @Name("image.inspect")
  record InspectImage(String image) implements Request {}

  /** {@code Images.tag}. */
  @Name("image.tag")
  record Tag(String image, String name) implements Request {}

  /** {@code Images.remove}; result list of what was removed. */
  @Name("image.remove")
  record RemoveImage(String image, boolean force) implements Request {}

  /** {@code Images.prune}; result {@code Pruned}. */
  @Name("image.prune")
  record PruneImages(boolean all) implements Request {}

  /**
   * {@code Images.load}: the first item is an {@link Attached} for the archive's stream; result
   * {@code Loaded}.
   */
  @Name("image.load")
  record Load() implements Request {}

  /** {@code Images.save}: the first item is an {@link Attached} for the archive's stream. */
  @Name("image.save")
  record Save(List<String> images, Images.ArchiveFormat format) implements Request {}

  /** {@code Images.loadLayout}; result {@code Loaded}. */
  @Name("image.load-layout")
  record LoadLayout(Path directory) implements Request {}

  /** {@code Images.saveLayout}. */
  @Name("image.save-layout")
  record SaveLayout(List<String> images, Path directory) implements Request {}

  /** {@code Caisson.info}; result {@code NodeInfo}. */
  @Name("node.info")
  record Info() implements Request {}

  /** {@code Caisson.check}; result {@code NodeCheck}. */
  @Name("node.check")
  record Check() implements Request {}

  /** {@code Caisson.daemonVersion}; result a string. */
  @Name("node.version")
  record Version() implements Request {}

  /** {@code Caisson.events}; items {@code NodeEvent}. */
  @Name("node.events")
  record Events(EventFilter filter) implements Request {}

  /** {@code Caisson.shutdownDaemon}. */
  @Name("node.shutdown")
  record Shutdown() implements Request {}
}
