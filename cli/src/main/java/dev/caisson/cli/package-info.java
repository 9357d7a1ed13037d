/**
 * The command line {@code caisson}.
 *
 * <p>A command is a class: its options are fields, its work is one method. {@link
 * dev.caisson.cli.Commands} makes the one that was asked for and no other. Arguments are read by
 * {@link dev.caisson.cli.Options} itself, since every command waits for that; picocli writes the
 * help and the completion from the same options.
 */
@org.jspecify.annotations.NullMarked
package dev.caisson.cli;
