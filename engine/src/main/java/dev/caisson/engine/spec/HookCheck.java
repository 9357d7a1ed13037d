package dev.caisson.engine.spec;

import java.util.List;

/** Checks {@code hooks}. Source: runtime specification, config.md, POSIX-platform Hooks. */
final class HookCheck {
  private HookCheck() {}

  static void check(Hooks hooks, Findings findings) {
    check(hooks.prestart(), "hooks.prestart", findings);
    check(hooks.createRuntime(), "hooks.createRuntime", findings);
    check(hooks.createContainer(), "hooks.createContainer", findings);
    check(hooks.startContainer(), "hooks.startContainer", findings);
    check(hooks.poststart(), "hooks.poststart", findings);
    check(hooks.poststop(), "hooks.poststop", findings);
  }

  private static void check(List<Hook> hooks, String path, Findings findings) {
    for (int i = 0; i < hooks.size(); i++) {
      var hook = hooks.get(i);
      var here = path + "[" + i + "]";
      findings.absolute(here + ".path", hook.path());
      for (int j = 0; j < hook.args().size(); j++) {
        findings.plain(here + ".args[" + j + "]", hook.args().get(j));
      }
      ProcessCheck.environment(hook.env(), here + ".env", findings);
      findings.within(here + ".timeout", hook.timeout(), 1, Integer.MAX_VALUE);
    }
  }
}
