import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { type Logger, silentLogger } from '../../observe/index.ts';
import { readText } from '../files.ts';

export interface WatchedFileOptions {
  /** How long the content is cached. */
  readonly periodMs: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * A small file that other processes replace from time to time. It is read again when a period has passed. The last
 * content is kept when the file cannot be read or is empty, because it may just be being replaced.
 */
export class WatchedFile {
  readonly path: string;
  readonly #options: Required<WatchedFileOptions>;
  #text: string | undefined;
  /** Monotonic time. */
  #readAt = 0;
  /** The read in progress, shared by concurrent callers. */
  #reading: Promise<string> | undefined;

  constructor(path: string, { periodMs, clock = systemClock, logger = silentLogger }: WatchedFileOptions) {
    this.path = path;
    this.#options = { periodMs, clock, logger };
  }

  /** Returns the content. Rejects with an Error in Go's words when it could never be read. */
  async read(): Promise<string> {
    const { clock, periodMs } = this.#options;
    if (this.#text !== undefined && clock.monotonic() - this.#readAt < periodMs) return this.#text;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Drops the cached time, so that the next `read` reads the file. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  async #read(): Promise<string> {
    this.#readAt = this.#options.clock.monotonic();
    try {
      const text = await readText(this.path);
      if (text !== '' || this.#text === undefined) this.#text = text;
      return this.#text;
    } catch (error) {
      if (this.#text === undefined) throw error;
      this.#options.logger.error('Unable to read file again', error, { path: this.path });
      return this.#text;
    }
  }
}
