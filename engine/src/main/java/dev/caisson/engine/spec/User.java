package dev.caisson.engine.spec;

import dev.caisson.json.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who a process runs as, in numbers. Source: runtime specification, config.md, User.
 *
 * @param uid user, 0 to 4294967294
 * @param gid primary group, 0 to 4294967294
 * @param umask bits that new files do not get
 * @param additionalGids further groups
 * @param others everything else, unchanged
 */
public record User(
    long uid,
    long gid,
    Optional<Long> umask,
    List<Long> additionalGids,
    @Unknown Map<String, Object> others) {

  /** Root, without further groups. */
  public static final User ROOT = of(0, 0, List.of());

  /** A user. */
  public static User of(long uid, long gid, List<Long> additionalGids) {
    return new User(uid, gid, Optional.empty(), additionalGids, Map.of());
  }

  /** Copies what could change under it. */
  public User {
    additionalGids = List.copyOf(additionalGids);
    others = Ordered.copy(others);
  }
}
