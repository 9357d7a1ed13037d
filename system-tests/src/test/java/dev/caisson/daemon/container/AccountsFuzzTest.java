package dev.caisson.daemon.container;

import dev.caisson.fuzz.Fuzzing;
import dev.caisson.library.CaissonException;
import dev.caisson.library.ContainerSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files of images and hosts that say who is who and where names are resolved. */
@Tag("fuzz")
class AccountsFuzzTest {
  private static final String PASSWD =
      "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:100:A User,,,:/home/user:/bin/sh\n";
  private static final String GROUP = "root:x:0:\nusers:x:100:user,other\nwheel:x:10:user\n";

  @Test
  void passwordFiles() {
    Fuzzing.ofTexts("/etc/passwd", PASSWD)
        .refusedBy(CaissonException.class)
        .texts(text -> Identity.find("user", List.of("wheel"), false, text, GROUP));
  }

  @Test
  void groupFiles() {
    Fuzzing.ofTexts("/etc/group", GROUP)
        .refusedBy(CaissonException.class)
        .texts(text -> Identity.find("user:users", List.of("wheel", "7"), false, PASSWD, text));
  }

  @Test
  void users() {
    Fuzzing.ofTexts("users", "user", "1000:100", "user:users", "0")
        .refusedBy(CaissonException.class)
        .texts(text -> Identity.find(text, List.of(), false, PASSWD, GROUP));
  }

  @Test
  void resolvers() {
    Fuzzing.ofTexts(
            "resolv.conf",
            """
            # comment
            nameserver 127.0.0.53
            nameserver ::1
            search a.example b.example
            options ndots:2 edns0 trust-ad
            """,
            "nameserver 10.0.0.1\ndomain example\n")
        .texts(text -> {
          var settings = ContainerSettings.of("busybox", "true");
          HostFiles.resolver(settings, text, "", new ArrayList<>());
          HostFiles.resolver(settings, "nameserver 127.0.0.53\n", text, new ArrayList<>());
        });
  }
}
