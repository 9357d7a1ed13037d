/**
 * Pods, tasks and execs: their states, events, streams and the ports behind which the walls stand.
 */
module dev.caisson.engine {
  requires dev.caisson.json;
  requires transitive dev.caisson.linux;
  requires static org.jspecify;

  exports dev.caisson.engine;
  exports dev.caisson.engine.process;
  exports dev.caisson.engine.spec;
  exports dev.caisson.engine.streams;
}
