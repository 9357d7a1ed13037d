/**
 * The keeper: the small process above the daemon that outlives it.
 *
 * <p><b>Primer.</b> A container's first process loses its parent, the low-level runtime, as soon as
 * it is made. The kernel then gives it to the nearest ancestor that asked for orphans: the keeper,
 * which is the daemon's parent. So the keeper sees every exit, whether the daemon is there or not.
 * It writes each into the exit log, tells the daemon, and starts the daemon again when that dies.
 * It also holds descriptors that must not close with the daemon: read ends of output pipes,
 * terminal masters, clients' connections.
 *
 * <p>Keeper and daemon are joined by a pair of sockets that keep message bounds. A message is one
 * byte that says what it is, a name in UTF-8, and perhaps descriptors:
 *
 * <pre>
 *   to the keeper          'H' name + descriptors   hold them under the name (replacing those held so far)
 *                          'D' name                 drop what is held under the name
 *                          'L'                      send all that is held
 *   to the daemon          'K'                      done: the answer to H and D
 *                          'N' reason               not done
 *                          'I' name + descriptors   one name, in answer to L; ended by K
 *                          'E' 32 bytes             an exit: pid, wait status, start time, time in ns (see ExitRecord)
 * </pre>
 *
 * <p>Exits may come between question and answer. The daemon finds exits it has not been told in the
 * exit log, so none is lost when it dies between two messages.
 *
 * <p>A keeper can be killed too. Its children then fall to the system's init, which reaps them and
 * tells nobody; the daemon goes on. It opens a pidfd of each, through which kernels from 6.15 on
 * tell the exit status, and starts another keeper with {@code --adopt}: that one takes all the
 * daemon holds, pidfds included, by the messages above, waits for the daemon's end, which follows
 * at once, and starts a daemon of its own. From then on all is as before, but for the exits of the
 * processes of before, which are told by their pidfds.
 */
package dev.caisson.keeper;
