/**
 * JSON as records: lossless reading with positions in errors, and writing. Knows none of our other
 * words.
 */
module dev.caisson.json {
  requires com.fasterxml.jackson.core;
  requires static org.jspecify;

  exports dev.caisson.json;
}
