package dev.caisson.fuzz;

import dev.caisson.engine.spec.Spec;
import dev.caisson.json.Json;
import dev.caisson.json.JsonException;
import dev.caisson.library.ContainerSettings;
import dev.caisson.library.ProcessSettings;
import dev.caisson.library.Reason;
import dev.caisson.library.protocol.Failure;
import dev.caisson.library.protocol.Request;
import dev.caisson.library.protocol.Wire;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** JSON from strangers: documents, the lines of the daemon's protocol, specifications. */
@Tag("fuzz")
class JsonFuzzTest {
  private static final String SPEC =
      """
      {"ociVersion": "1.0.2",
       "process": {"terminal": false, "user": {"uid": 0, "gid": 0, "additionalGids": [1]},
         "args": ["sh", "-c", "true"], "env": ["PATH=/bin"], "cwd": "/",
         "capabilities": {"bounding": ["CAP_KILL"]}, "noNewPrivileges": true,
         "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 1024, "soft": 1024}]},
       "root": {"path": "rootfs", "readonly": true}, "hostname": "x",
       "mounts": [{"destination": "/proc", "type": "proc", "source": "proc", "options": ["ro"]}],
       "linux": {"resources": {"memory": {"limit": 1000000}, "pids": {"limit": 10},
           "cpu": {"shares": 1024}}, "namespaces": [{"type": "pid"}, {"type": "mount"}],
         "uidMappings": [{"containerID": 0, "hostID": 1000, "size": 1}],
         "maskedPaths": ["/proc/kcore"]}}
      """;

  @Test
  void documents() {
    Fuzzing.ofTexts("json documents", SPEC, "[1, -2.5e3, \"\\u00e9\\n\", true, null, {}]", "7")
        .refusedBy(JsonException.class)
        .texts(Json::readTree);
  }

  @Test
  void specifications() {
    Fuzzing.ofTexts("config.json", SPEC)
        .refusedBy(JsonException.class, IllegalArgumentException.class)
        .texts(text -> Json.write(Json.read(text, Spec.class)));
  }

  @Test
  void requests() {
    var settings =
        ContainerSettings.of("busybox", "sh", "-c", "true")
            .withName("web")
            .withProcess(ProcessSettings.of("sh").withUser("1000:100"));
    Fuzzing.of(
            "requests of the daemon's protocol",
            List.of(
                Wire.request(new Request.Create(settings)),
                Wire.request(new Request.Kill("web", Optional.empty(), "TERM", true)),
                Wire.request(new Request.ListContainers()),
                Wire.request(new Request.Tag("a", "b:1"))))
        .refusedBy(JsonException.class)
        .run(input -> Json.read(input, Request.class));
  }

  @Test
  void answers() {
    var failure = new Failure(Reason.INVALID, "start 'x'", "it is not there", "");
    Fuzzing.of(
            "answers of the daemon's protocol",
            Stream.of(Wire.done(), Wire.error(failure), Wire.item(failure))
                .map(line -> Arrays.copyOf(line, line.length - 1))
                .toList())
        .refusedBy(JsonException.class, IllegalArgumentException.class)
        .run(line -> {
          var kind = Wire.kind(line);
          var body = Wire.body(line, kind);
          switch (kind) {
            case ERROR -> Json.read(body, Failure.class);
            case ITEM, RESULT -> Json.readTree(Fuzzing.text(body));
          }
        });
  }

  @Test
  void records() {
    Fuzzing.ofTexts(
            "settings of a container",
            Fuzzing.text(Json.write(ContainerSettings.of("busybox", "true"))))
        .refusedBy(JsonException.class)
        .texts(text -> Json.read(text, ContainerSettings.class));
  }
}
