package dev.caisson.linux;

/** A name in a directory and what kind of file it is, as of the listing. */
public record DirectoryEntry(String name, FileKind kind) {}
