import { Socket } from 'node:net';

/** The input of a program, through a pipe that is open without blocking. What cannot be written, because the program has ended, is dropped. */
export class PipeWriter {
  readonly #socket: Socket;
  readonly #started: Promise<void>;
  #isClosed = false;
  /** Settles the write under way. */
  #settle: () => void = () => {};

  /** `started` resolves when the program has the pipe open, too: before that it is not closed, so that nothing is lost. */
  constructor(fd: number, started: Promise<void>) {
    this.#started = started;
    this.#socket = new Socket({ fd, readable: false, writable: true });
    this.#socket.on('error', () => this.close());
  }

  /** Resolves when the bytes are in the pipe. Must not be called before the last write has resolved. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#socket.write(bytes, () => resolve());
    });
  }

  /** Ends the input. Not by the socket's own end, which is only for sockets. */
  close(): void {
    this.#isClosed = true;
    void this.#started.then(() => this.#socket.destroy());
    this.#settle();
  }
}
