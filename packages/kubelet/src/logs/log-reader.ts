import type { LogOptions } from './container-logs.ts';
import { LogDecoder, type LogDecoderOptions } from './log-decoder.ts';
import { LogOutput } from './log-output.ts';
import type { LogSource } from './log-source.ts';

/** Of one reader. Lines that are longer are passed on in pieces. */
const blockBytes = 128 * 1024;

/**
 * Reads a log as its options say: the source in blocks, the lines of a block, what of them is wanted. Needs the same memory for every
 * log, and reads a block only after the chunks of the last one were taken.
 */
export class LogReader {
  readonly #source: Pick<LogSource, 'read'>;
  readonly #output: LogOutput;
  readonly #decoder: LogDecoder;
  readonly #signal: AbortSignal | undefined;
  readonly #block = Buffer.allocUnsafeSlow(blockBytes);
  /** Bytes of an incomplete line at the front of the block. */
  #length = 0;

  constructor(source: Pick<LogSource, 'read'>, options: LogOptions, onMalformed: LogDecoderOptions['onMalformed']) {
    const { follow, tailLines, signal } = options;
    this.#source = source;
    this.#signal = signal;
    this.#output = new LogOutput(options);
    // A line may be written between the search for the last ones and the end of reading.
    this.#decoder = new LogDecoder({ output: this.#output, lines: follow ? undefined : tailLines, onMalformed });
  }

  /** Whether nothing more is wanted. */
  get isDone(): boolean {
    return this.#decoder.isDone || this.#signal?.aborted === true;
  }

  /** Reads what the source has so far, except for an incomplete line at its end. */
  async *readToEnd(): AsyncIterable<Uint8Array> {
    while (!this.isDone) {
      const bytesRead = await this.#source.read(this.#block, this.#length);
      if (bytesRead === 0) return;
      this.#length = this.#decoder.decode(this.#block, this.#length + bytesRead);
      yield* this.#output.take();
    }
  }

  /** Reads the incomplete line at the end of a file, to which nothing will be written any more. */
  *finish(): Iterable<Uint8Array> {
    if (!this.isDone) this.#decoder.finish(this.#block, this.#length);
    this.#length = 0;
    yield* this.#output.take();
  }
}
