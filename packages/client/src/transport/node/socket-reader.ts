import type { OnReadOpts, Socket } from 'node:net';

/** The maximum size of a TLS record. */
const readBytes = 16 * 1024;

/**
 * Reads a socket into a reused buffer, if the socket is opened with `onread`. Otherwise each chunk has a new buffer,
 * which occupies memory until the next garbage collection.
 */
export class SocketReader {
  #isInstalled = false;
  #sink: ((bytes: Buffer) => void) | undefined;
  /** Data received before there was a sink. */
  #early: Buffer[] = [];

  /** The `onread` option for opening the socket. */
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

  /** Passes received and future data to the sink, asynchronously. The data is only valid during the call. */
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
