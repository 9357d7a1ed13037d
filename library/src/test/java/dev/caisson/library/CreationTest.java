package dev.caisson.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caisson.library.Containers.Created;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CreationTest {
  private final List<String> calls = new ArrayList<>();
  private final Set<String> here = new HashSet<>();

  private Creation creation() {
    return new Creation(
        (Images)
            Proxy.newProxyInstance(
                Images.class.getClassLoader(),
                new Class<?>[] {Images.class},
                (_, method, arguments) ->
                    switch (method.getName()) {
                      case "pull" -> pull((Images.PullSettings) arguments[0]);
                      case "inspect" -> inspect((String) arguments[0]);
                      default -> throw new AssertionError(method.getName());
                    }),
        this::node);
  }

  private Images.Pulled pull(Images.PullSettings settings) {
    calls.add("pull " + settings.reference() + settings.platform().orElse(""));
    here.add(settings.reference());
    return new Images.Pulled(settings.reference(), "id", "digest", true, List.of("of the pull"));
  }

  private Map<String, Object> inspect(String image) {
    if (!here.contains(image)) {
      throw notFound("image");
    }
    return Map.of();
  }

  private static CaissonException notFound(String what) {
    return new CaissonException(Reason.NOT_FOUND, "find " + what, "it is not there", "");
  }

  private Created node(ContainerSettings settings) {
    calls.add("create " + settings.image());
    assertThat(settings.pull()).isEqualTo(PullPolicy.NEVER);
    if (!here.contains(settings.image())) {
      throw notFound("image");
    }
    return new Created("container", List.of("of the node"));
  }

  private Created create(PullPolicy policy) {
    return creation().create(ContainerSettings.of("alpine").withPull(policy), _ -> {});
  }

  @Test
  void anImageThatIsHereIsNotPulled() {
    here.add("alpine");

    assertThat(create(PullPolicy.MISSING).warnings()).containsExactly("of the node");

    assertThat(calls).containsExactly("create alpine");
  }

  @Test
  void aMissingImageIsPulledAndAllWarningsAreTold() {
    assertThat(create(PullPolicy.MISSING).warnings()).containsExactly("of the pull", "of the node");

    assertThat(calls).containsExactly("create alpine", "pull alpine", "create alpine");
  }

  @Test
  void theNewestIsPulledFirst() {
    here.add("alpine");

    create(PullPolicy.ALWAYS);

    assertThat(calls).containsExactly("pull alpine", "create alpine");
  }

  @Test
  void nothingIsPulledWhenThatIsNotWanted() {
    assertThatThrownBy(() -> create(PullPolicy.NEVER)).hasMessageContaining("find image");

    assertThat(calls).containsExactly("create alpine");
  }

  @Test
  void whatElseIsNotFoundIsNoReasonToPull() {
    here.add("alpine");
    var creation =
        new Creation(
            creation().images(),
            _ -> {
              throw notFound("volume");
            });

    assertThatThrownBy(() -> creation.create(ContainerSettings.of("alpine"), _ -> {}))
        .hasMessageContaining("find volume");
    assertThat(calls).isEmpty();
  }

  @Test
  void anImageOfAnotherPlatformIsPulledForTheOneThatIsWanted() {
    creation().create(ContainerSettings.of("alpine").withPlatform("linux/arm64"), _ -> {});

    assertThat(calls).contains("pull alpinelinux/arm64");
  }

  @Test
  void builtinImagesAreNeverPulled() {
    here.add("builtin/busybox");

    creation().create(ContainerSettings.of("builtin/busybox").withPull(PullPolicy.ALWAYS), _ -> {});

    assertThat(calls).containsExactly("create builtin/busybox");
  }
}
