/**
 * The messages between the library and the daemon.
 *
 * <p><b>Primer.</b> The client connects to the node's Unix socket and sends one request as a line
 * of JSON: {@code {"call":"container.start","container":"web"}}. The daemon answers with lines of
 * JSON, each with one of these keys:
 *
 * <ul>
 *   <li>{@code {"item": …}}: something on the way: progress, an event, a log entry; any number of
 *       them
 *   <li>{@code {"result": …}}: the end of a call that worked
 *   <li>{@code {"error": {"reason": …, "tried": …, "found": …, "advice": …}}}: the end of one that
 *       did not
 * </ul>
 *
 * <p>Calls on one connection follow one another; a client that wants several at a time opens
 * several connections, and closing one cancels its call. Streams of bytes have connections of their
 * own: the answer to an attaching call names a token, and a new connection opened with {@code
 * stream.open} and that token turns, after its {@code result} line, into raw bytes one way ({@code
 * stdin}: up; {@code stdout}, {@code stderr}: down; {@code archive}: an image archive, up or down).
 * Closing {@code stdin} ends the input.
 *
 * <p>A client whose standard output is a pipe need not carry bytes itself: it names the descriptor
 * in {@code stream.open}, and the daemon moves the process's output into that very pipe, which it
 * opens as {@code /proc/PID/fd/N} of the process that connected. The connection then carries what
 * the pipe did not take by the end, and ends when the stream does.
 */
package dev.caisson.library.protocol;
