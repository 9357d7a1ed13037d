package dev.caisson.daemon.container;

import dev.caisson.engine.spec.User;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/**
 * Who a process runs as.
 *
 * @param uid user
 * @param gid primary group
 * @param groups all additional groups, the primary one included as its first
 * @param home the user's home by /etc/passwd; {@code /} when nothing is known
 */
record Identity(long uid, long gid, List<Long> groups, String home) {
  private static final long LARGEST = 4_294_967_294L;
  private static final String ADVICE =
      "give a name of the image's /etc/passwd or /etc/group, or a number from 0 to 4294967294";

  /** A line of /etc/passwd that can be read. */
  private record Account(String name, Optional<Long> uid, Optional<Long> gid, String home) {}

  /** A line of /etc/group that can be read. */
  private record Group(String name, Optional<Long> gid, List<String> members) {}

  /**
   * Finds who is meant, as Docker does: {@code user[:group]}, names before numbers. A group given
   * so turns the groups of /etc/group off.
   *
   * @param wanted what the user or image says; empty for root
   * @param additional further groups, names or numbers
   * @param strict whether the groups that /etc/group gives the user are left out in any case
   * @param passwd text of /etc/passwd, empty when there is none
   * @param group text of /etc/group
   */
  static Identity find(
      String wanted, List<String> additional, boolean strict, String passwd, String group) {
    var users = users(passwd);
    var groups = groups(group);
    int colon = wanted.indexOf(':');
    var userWord = colon < 0 ? wanted : wanted.substring(0, colon);
    var groupWord = colon < 0 ? "" : wanted.substring(colon + 1);
    if (userWord.isEmpty()) {
      userWord = "0";
    }
    var user = account(userWord, users);
    long uid = user.uid().orElseThrow();
    boolean groupGiven = !groupWord.isEmpty();
    long gid = groupGiven ? gid(groupWord, groups) : user.gid().orElse(0L);
    var all = new LinkedHashSet<Long>();
    all.add(gid);
    if (!groupGiven && !strict) {
      for (var candidate : groups) {
        if (candidate.members().contains(user.name()) && !user.name().isEmpty()) {
          candidate.gid().ifPresent(all::add);
        }
      }
    }
    for (var word : additional) {
      all.add(gid(word, groups));
    }
    return new Identity(uid, gid, List.copyOf(all), user.home().isEmpty() ? "/" : user.home());
  }

  /** Who it is in the specification's words. */
  User user() {
    return User.of(uid, gid, groups);
  }

  private static Account account(String word, List<Account> users) {
    for (var user : users) {
      if (user.name().equals(word)) {
        if (user.uid().isEmpty()) {
          throw Refusal.of("user '" + word + "'", "its line in /etc/passwd has no number", ADVICE);
        }
        return user;
      }
    }
    var number = number(word);
    if (number.isEmpty()) {
      throw Refusal.of("user '" + word + "'", "the image knows no such user", ADVICE);
    }
    for (var user : users) {
      if (user.uid().equals(number)) {
        return user;
      }
    }
    return new Account("", number, Optional.empty(), "/");
  }

  private static long gid(String word, List<Group> groups) {
    for (var group : groups) {
      if (group.name().equals(word)) {
        return group
            .gid()
            .orElseThrow(() ->
                Refusal.of("group '" + word + "'", "its line in /etc/group has no number", ADVICE));
      }
    }
    return number(word)
        .orElseThrow(
            () -> Refusal.of("group '" + word + "'", "the image knows no such group", ADVICE));
  }

  private static Optional<Long> number(String word) {
    if (word.isEmpty() || word.length() > 10 || !word.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return Optional.empty();
    }
    long number = Long.parseLong(word);
    return number > LARGEST ? Optional.empty() : Optional.of(number);
  }

  /** Lines that make no sense are passed over, so that one of them hides no other. */
  private static List<Account> users(String text) {
    var users = new ArrayList<Account>();
    text.lines()
        .forEach(line -> {
          var fields = line.split(":", -1);
          if (isEntry(fields, 4)) {
            users.add(
                new Account(
                    fields[0],
                    number(fields[2]),
                    number(fields[3]),
                    fields.length > 5 ? fields[5] : ""));
          }
        });
    return users;
  }

  private static List<Group> groups(String text) {
    var groups = new ArrayList<Group>();
    text.lines()
        .forEach(line -> {
          var fields = line.split(":", -1);
          if (isEntry(fields, 3)) {
            groups.add(
                new Group(
                    fields[0],
                    number(fields[2]),
                    fields.length > 3 ? List.of(fields[3].split(",")) : List.of()));
          }
        });
    return groups;
  }

  private static boolean isEntry(String[] fields, int least) {
    return fields.length >= least
        && !fields[0].isEmpty()
        && !fields[0].startsWith("#")
        && !fields[0].startsWith("+")
        && !fields[0].startsWith("-");
  }
}
