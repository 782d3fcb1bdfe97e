import type { LogOptions } from './container-logs.ts';
import type { LogLine } from './log-line.ts';
import { longestTimestamp, writeTimestamp } from './log-timestamp.ts';

export type LogOutputOptions = Pick<LogOptions, 'sinceMs' | 'timestamps' | 'limitBytes' | 'stream'>;

/** No chunk is larger. */
const chunkBytes = 64 * 1024;
/** Space for an output of a few lines, as followers get them. */
const smallestChunkBytes = 1024;
const [newline, space] = [0x0a, 0x20];
const none = Buffer.alloc(0);

/** What a reader gets of the lines of a log, as chunks of bounded size. */
export class LogOutput {
  readonly #options: LogOutputOptions;
  /** Bytes that may still be written. */
  #left: number;
  /** Whether the last line was written with its end. The part of a line that follows another part gets no timestamp. */
  #isAtLineStart = true;
  #isWanted = false;
  #chunks: Uint8Array[] = [];
  #chunk = none;
  /** Bytes written to the chunk. */
  #length = 0;
  readonly #prefix = Buffer.alloc(longestTimestamp + 1);

  constructor(options: LogOutputOptions) {
    this.#options = options;
    this.#left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Whether as much was written as may be. */
  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** Begins a line. Its content follows by `append`, in any number of pieces. */
  begin({ stream, timeMs, timestamp, timestampStart, timestampEnd }: LogLine): void {
    const { sinceMs = Number.NEGATIVE_INFINITY, timestamps = false, stream: only } = this.#options;
    this.#isWanted = !(timeMs < sinceMs) && (only === undefined || stream === only);
    if (this.#isWanted && timestamps && this.#isAtLineStart) {
      const length = writeTimestamp(timestamp, timestampStart, timestampEnd, this.#prefix, 0);
      this.#prefix[length] = space;
      this.#write(this.#prefix, 0, length + 1);
    }
    this.#isAtLineStart = true;
  }

  append(bytes: Buffer, start: number, end: number): void {
    if (start === end) return;
    this.#isAtLineStart = bytes[end - 1] === newline;
    if (this.#isWanted) this.#write(bytes, start, end);
  }

  /** Returns what was written since the last call. */
  take(): readonly Uint8Array[] {
    this.#flush();
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  #write(bytes: Buffer, start: number, end: number): void {
    const stop = Math.min(end, start + this.#left);
    let from = start;
    while (from < stop) {
      if (this.#length === this.#chunk.length) this.#grow(stop - from);
      const length = Math.min(stop - from, this.#chunk.length - this.#length);
      bytes.copy(this.#chunk, this.#length, from, from + length);
      this.#length += length;
      from += length;
    }
    this.#left -= stop - start;
  }

  /** Makes room for at least one byte. The first chunk is small, since most outputs of a follower are. */
  #grow(needed: number): void {
    if (this.#chunk.length > 0 && this.#chunk.length < chunkBytes) {
      const larger = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(8 * this.#chunk.length, this.#length + needed)));
      larger.set(this.#chunk);
      this.#chunk = larger;
      return;
    }
    this.#flush();
    this.#chunk = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(smallestChunkBytes, needed)));
  }

  #flush(): void {
    if (this.#length > 0) this.#chunks.push(this.#chunk.subarray(0, this.#length));
    this.#chunk = none;
    this.#length = 0;
  }
}
