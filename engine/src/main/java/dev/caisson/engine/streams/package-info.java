/**
 * The streams of processes: pipes and terminals to logs and clients, moved by one loop.
 *
 * <p><b>Primer: no byte twice, no byte lost, whenever the daemon is killed.</b> A process writes
 * into pipe A, whose read end the keeper holds too, so nothing in it is lost. What is to be logged
 * goes through a second pipe, the spool B, both ends of which the keeper holds as well:
 *
 * <ol>
 *   <li>B is empty and the journal says so. Move a batch of n bytes from A to B, inside the kernel.
 *   <li>Copy B to a scratch pipe with tee(2), which leaves B as it is, and read the copy.
 *   <li>Note in the journal: the log's size, and n. Append the batch to the log with one write.
 *       Note that it is logged.
 *   <li>Empty B: move it to the client's socket, or to nowhere. Note in the journal that B is
 *       empty.
 * </ol>
 *
 * <p>The next daemon looks how many bytes are in B, m. Nothing in B: all was done. A journal that
 * says empty: the batch was not logged yet, so go on with step 2. A journal that says logged: go on
 * with step 4; the client may have part of it. Otherwise the append was under way, and it may be in
 * the log whole, in part or not at all: cut the log back to the noted size and go on with step 2.
 * Both streams share the log, and one loop writes it, so between the two notes nobody else writes
 * behind the batch and no file is rotated; after the second one both may happen, which is why it is
 * there. Without a log, A is moved to the client directly.
 *
 * <p>Input needs no journal: it is moved from a client's socket into the process's pipe by one
 * call, and for a terminal through a spool of its own. The keeper holds all of these, so a byte is
 * always in exactly one place that outlives the daemon.
 *
 * <p>A client that has a pipe of its own for the output gets the bytes there, moved page by page;
 * its connection only tells the end. A process that writes much gets larger pipes.
 *
 * <p>Only the first client, the one that was there before the start, is served in this lossless
 * way, with the back-pressure of a pipe. Those that attach later get copies from memory and are cut
 * off when they fall far behind.
 */
package dev.caisson.engine.streams;
