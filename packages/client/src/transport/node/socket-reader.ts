import type { OnReadOpts, Socket } from 'node:net';

/** What TLS gives at a time is not longer. */
const readBytes = 16 * 1024;

/**
 * Reads a socket into the same memory each time, where the socket is opened with `onread`. Otherwise each piece has memory of its own,
 * which is gone only when the engine has looked for what is unused.
 */
export class SocketReader {
  #isInstalled = false;
  #sink: ((bytes: Buffer) => void) | undefined;
  /** What came before there was a sink. */
  #early: Buffer[] = [];

  /** For a socket that is still to be opened. */
  get onread(): OnReadOpts {
    this.#isInstalled = true;
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    return {
      buffer,
      callback: (length) => {
        const bytes = buffer.subarray(0, length);
        if (this.#sink) this.#sink(bytes);
        else this.#early.push(Buffer.from(bytes));
        return true;
      },
    };
  }

  /** The sink gets what has come and what comes, but nothing at once. It must not look at that any more after it has returned. */
  start(socket: Socket, sink: (bytes: Buffer) => void): void {
    if (!this.#isInstalled) {
      socket.on('data', sink);
      return;
    }
    queueMicrotask(() => {
      for (const bytes of this.#early.splice(0)) sink(bytes);
      this.#sink = sink;
    });
  }
}
