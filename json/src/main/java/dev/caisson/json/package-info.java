/**
 * JSON as records.
 *
 * <p>{@link dev.caisson.json.Json} reads a document into a record, or into a tree of maps and
 * lists, and writes either back. A record's components are the fields; what a component's type
 * means is told at {@link dev.caisson.json.Json}.
 */
package dev.caisson.json;
