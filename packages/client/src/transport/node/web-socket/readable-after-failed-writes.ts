import type { Duplex } from 'node:stream';

type Done = (error?: Error | null) => void;

/**
 * Keeps a connection readable after a failed write: later writes are discarded, and reading continues to the end, which
 * is soon. A server that needs no more input sends the command's status and closes the connection, which is then reset
 * if input is still being sent. Node would destroy the socket with that status unread.
 */
export function readableAfterFailedWrites(connection: Duplex): Duplex {
  /**
   * Set after a failed write. Then each write takes a turn of the event loop, so that a busy writer does not prevent
   * reading.
   */
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
