/**
 * The OCI runtime specification 1.2 as records: what a bundle's {@code config.json} says, who wants
 * it and how it is checked.
 *
 * <p>{@link dev.caisson.engine.spec.Spec} is the document, its sections are named as the chapters
 * name them; fields that nobody here knows, at any level, survive being read and written. Numbers
 * of 64 bits without sign are {@code long}s whose bits are meant so: {@code -1} is 2^64 - 1. {@link
 * dev.caisson.engine.spec.SpecReader} reads documents of strangers and refuses what cannot work,
 * naming file, line and field; {@link dev.caisson.engine.spec.SpecCheck} does the same for records
 * made here.
 *
 * <p>Chapters: <a
 * href="https://github.com/opencontainers/runtime-spec/blob/v1.2.0/config.md">config.md</a> (all
 * platforms) and <a
 * href="https://github.com/opencontainers/runtime-spec/blob/v1.2.0/config-linux.md">config-linux.md</a>.
 */
package dev.caisson.engine.spec;
