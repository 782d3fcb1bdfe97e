import type { Duplex } from 'node:stream';

type Done = (error?: Error | null) => void;

/**
 * Makes a connection outlive its failed writes: what is written after one goes nowhere, and reading goes on to its end,
 * which is soon. A server that wants no more input says how the command ended and closes the connection, which resets it
 * when input is still on its way; Node would destroy the socket with that last word unread.
 */
export function readableAfterFailedWrites(connection: Duplex): Duplex {
  /** From then on writes take a turn of the event loop each, so that who writes on and on does not keep it from reading. */
  let isBroken = false;
  const noting = (done: Done): Done => {
    return (error) => {
      isBroken ||= error instanceof Error;
      done();
    };
  };
  const { _write: write, _writev: writev } = connection;
  connection._write = (chunk, encoding, done) => {
    if (isBroken) setImmediate(done);
    else write.call(connection, chunk, encoding, noting(done));
  };
  if (writev) {
    connection._writev = (chunks, done) => {
      if (isBroken) setImmediate(done);
      else writev.call(connection, chunks, noting(done));
    };
  }
  return connection;
}
