import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { type Logger, silentLogger } from '../../observe/index.ts';
import { readText } from '../files.ts';

export interface WatchedFileOptions {
  /** How long what was read counts as current. */
  readonly periodMs: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * A small file that others replace from time to time, read again when a period has passed. What was read last stays when
 * the file cannot be read any more or is empty: whoever replaces it may be in the middle of doing so.
 */
export class WatchedFile {
  readonly path: string;
  readonly #options: Required<WatchedFileOptions>;
  #text: string | undefined;
  /** Monotonic. */
  #readAt = 0;
  /** The one under way, which all share that ask meanwhile. */
  #reading: Promise<string> | undefined;

  constructor(path: string, { periodMs, clock = systemClock, logger = silentLogger }: WatchedFileOptions) {
    this.path = path;
    this.#options = { periodMs, clock, logger };
  }

  /** Rejects with an Error in Go's words when there never was anything to be read. */
  async read(): Promise<string> {
    const { clock, periodMs } = this.#options;
    if (this.#text !== undefined && clock.monotonic() - this.#readAt < periodMs) return this.#text;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The next look is at the file, however young what was read is. */
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
