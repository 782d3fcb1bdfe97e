import { readSync } from 'node:fs';
import { Socket } from 'node:net';

/** When more than this waits to be taken, the pipe is not read. */
const maxWaitingBytes = 256 * 1024;
/** The largest pipe that the kernel lets a user make, so that the last reading ends even if something goes on writing. */
const largestPipe = 1024 * 1024;

/**
 * What a program prints, from a pipe that is open without blocking. A child that the program has left behind may hold the pipe open for
 * ever, so the output ends when the program does: `finish` takes what is in the pipe at that time, and nothing of it is lost.
 */
export class PipeReader implements AsyncIterable<Buffer> {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #hasEnded = false;
  #wake: () => void = () => {};
  #close: () => void = () => {};
  /** Resolves when nothing more comes. */
  readonly closed = new Promise<void>((resolve) => {
    this.#close = resolve;
  });

  constructor(fd: number) {
    this.#fd = fd;
    this.#socket = new Socket({ fd, readable: true, writable: false });
    this.#socket.on('data', (chunk: Buffer) => {
      this.#add(chunk);
      if (this.#waitingBytes > maxWaitingBytes) this.#socket.pause();
    });
    this.#socket.on('error', () => this.#end());
    this.#socket.on('end', () => this.#end());
  }

  /** Takes the rest, and ends. */
  finish(): void {
    if (this.#hasEnded) return;
    this.#socket.pause();
    for (
      let chunk = this.#socket.read() as Buffer | null;
      chunk !== null;
      chunk = this.#socket.read() as Buffer | null
    ) {
      this.#add(chunk);
    }
    for (let taken = 0; taken < largestPipe; ) {
      const chunk = Buffer.allocUnsafe(64 * 1024);
      const length = readNow(this.#fd, chunk);
      if (length === 0) break;
      taken += length;
      this.#add(chunk.subarray(0, length));
    }
    this.#end();
  }

  /** Closes the pipe; what was not taken is lost. */
  close(): void {
    this.#waiting.length = 0;
    this.#end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk) {
        this.#waitingBytes -= chunk.length;
        if (!this.#hasEnded && this.#waitingBytes <= maxWaitingBytes) this.#socket.resume();
        yield chunk;
      } else if (this.#hasEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #add(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#wake();
  }

  #end(): void {
    if (!this.#hasEnded) this.#socket.destroy();
    this.#hasEnded = true;
    this.#close();
    this.#wake();
  }
}

/** The number of bytes that were there; 0 if there are none, or never will be. */
function readNow(fd: number, into: Buffer): number {
  try {
    return readSync(fd, into);
  } catch {
    // EAGAIN: the pipe is empty.
    return 0;
  }
}
