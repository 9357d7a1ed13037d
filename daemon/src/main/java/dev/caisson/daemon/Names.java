package dev.caisson.daemon;

import dev.caisson.library.CaissonException;
import dev.caisson.library.Reason;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Names of containers: the form of those given, and made-up ones. */
final class Names {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*");
  private static final int LONGEST = 76;
  private static final int ID_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private static final String[] QUALITIES = {
    "amber", "brisk", "calm", "deep", "eager", "fair", "grand", "hardy", "ivory", "jolly", "keen",
    "level", "mellow", "noble", "opal", "plain", "quiet", "rapid", "steady", "tidal", "upbeat",
    "vivid", "warm", "young", "zesty"
  };

  private static final String[] THINGS = {
    "anchor", "barge", "beacon", "bridge", "caisson", "canal", "crane", "dock", "ferry", "girder",
    "harbor", "jetty", "keel", "ladder", "lock", "mast", "pier", "pile", "pylon", "quay", "rudder",
    "sluice", "tender", "weir", "winch"
  };

  private Names() {}

  /** A new container id. */
  static String newId() {
    var bytes = new byte[ID_BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Checks a name a user gave. */
  static String check(String name) {
    if (name.length() > LONGEST || !FORM.matcher(name).matches()) {
      throw new CaissonException(
          Reason.INVALID,
          "create container '" + name + "'",
          "the name has another form",
          "use 1 to 76 letters and digits, joined by single '.', '_' or '-'");
    }
    return name;
  }

  /** Makes up a name that is free. */
  static String madeUp(Predicate<String> free) {
    for (; ; ) {
      var name =
          QUALITIES[RANDOM.nextInt(QUALITIES.length)] + "_" + THINGS[RANDOM.nextInt(THINGS.length)];
      if (free.test(name)) {
        return name;
      }
      var numbered = name + "_" + RANDOM.nextInt(100_000);
      if (free.test(numbered)) {
        return numbered;
      }
    }
  }
}
