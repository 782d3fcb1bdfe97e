import type { FileHandle } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The bytes of a log file, front to back. */
export interface LogSource {
  /** Reads into the buffer from the offset on. Resolves with the number of bytes, 0 at the end of what is in the file so far. */
  read(into: Buffer, offset: number): Promise<number>;
  close(): Promise<void>;
}

/** A file that may still grow. */
export class PlainLog implements LogSource {
  readonly #file: FileHandle;
  #position: number;

  constructor(file: FileHandle, position: number) {
    this.#file = file;
    this.#position = position;
  }

  async read(into: Buffer, offset: number): Promise<number> {
    const { bytesRead } = await this.#file.read(into, offset, into.length - offset, this.#position);
    this.#position += bytesRead;
    return bytesRead;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** A rotated file that was compressed. */
export class CompressedLog implements LogSource {
  readonly #output: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: FileHandle) {
    // Errors reach the reader by the iterator. The streams close the file.
    this.#output = pipeline(file.createReadStream(), createGunzip(), () => {});
    this.#chunks = this.#output[Symbol.asyncIterator]();
  }

  async read(into: Buffer, offset: number): Promise<number> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return 0;
      this.#rest = next.value;
    }
    const length = this.#rest.copy(into, offset);
    this.#rest = this.#rest.subarray(length);
    return length;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
    this.#output.destroy();
  }
}
