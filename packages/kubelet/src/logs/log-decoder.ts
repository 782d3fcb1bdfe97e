import { emptyLogLine, type ParseLine, parseCriLine, parseDockerJsonLine } from './log-line.ts';
import type { LogOutput } from './log-output.ts';

export interface LogDecoderOptions {
  readonly output: LogOutput;
  /** Lines after which the decoder is done; a part of a line counts as one. Without it, all lines are decoded. */
  readonly lines?: number | undefined;
  /** Called for each line that is malformed, with its beginning. Such lines are skipped. */
  readonly onMalformed: (beginning: string) => void;
}

const newline = 0x0a;
const newlineBytes = Buffer.from([newline]);
/** Bytes of a malformed line in messages. */
const quotedBytes = 128;

/**
 * Reads the lines of log files from blocks of bytes. Lines may be of any length: the content of one that does not fit into a block is
 * passed on as it comes.
 */
export class LogDecoder {
  readonly #options: LogDecoderOptions;
  #linesLeft: number;
  /** By the first line. All lines of a log have the same format. */
  #parse: ParseLine | undefined;
  readonly #line = emptyLogLine();
  /** Within a line that did not fit into a block: its header is read. */
  #inLongLine: 'decoded' | 'skipped' | undefined;

  constructor(options: LogDecoderOptions) {
    this.#options = options;
    this.#linesLeft = options.lines ?? Number.POSITIVE_INFINITY;
  }

  /** Whether all lines were decoded that are wanted. */
  get isDone(): boolean {
    return this.#linesLeft <= 0 || this.#options.output.isFull;
  }

  /**
   * Decodes the first `length` bytes of a block. Moves an incomplete line at the end to the front and returns its length, which is less
   * than that of the block: the next bytes belong behind it. Throws if the format of the first line is unknown.
   */
  decode(block: Buffer, length: number): number {
    const bytes = block.subarray(0, length);
    let start = 0;
    while (start < length && !this.isDone) {
      const end = bytes.indexOf(newline, start);
      if (end === -1) break;
      if (this.#inLongLine) this.#endLongLine(bytes, start, end);
      else this.#decodeLine(bytes, start, end, true);
      start = end + 1;
    }
    if (this.isDone) return 0;
    if (this.#inLongLine) {
      this.#continueLongLine(bytes, start, length);
      return 0;
    }
    if (start === 0 && length === block.length) {
      this.#beginLongLine(bytes);
      return 0;
    }
    block.copyWithin(0, start, length);
    return length - start;
  }

  /** Ends a file. Its last line, `length` bytes at the front of the block, has no newline. */
  finish(block: Buffer, length: number): void {
    if (this.#inLongLine) this.#inLongLine = undefined;
    else if (length > 0 && !this.isDone) this.#decodeLine(block.subarray(0, length), 0, length, false);
  }

  #decodeLine(bytes: Buffer, start: number, end: number, isComplete: boolean): void {
    const { output } = this.#options;
    const line = this.#line;
    if (!this.#parseLine(bytes, start, end)) return;
    output.begin(line);
    // The newline is behind the content, so one copy suffices.
    const withNewline = line.hasNewline && isComplete ? 1 : 0;
    output.append(line.content, line.contentStart, line.contentEnd + withNewline);
    this.#linesLeft--;
  }

  #beginLongLine(bytes: Buffer): void {
    // Only the runtime's own lines may be so long: those of Docker are limited, and an object can't be parsed in pieces.
    const isDecoded = this.#parse !== parseDockerJsonLine && this.#parseLine(bytes, 0, bytes.length);
    this.#inLongLine = isDecoded ? 'decoded' : 'skipped';
    if (!isDecoded) return;
    const { output } = this.#options;
    output.begin(this.#line);
    output.append(bytes, this.#line.contentStart, bytes.length);
  }

  #continueLongLine(bytes: Buffer, start: number, end: number): void {
    if (this.#inLongLine === 'decoded') this.#options.output.append(bytes, start, end);
  }

  #endLongLine(bytes: Buffer, start: number, end: number): void {
    this.#continueLongLine(bytes, start, end);
    if (this.#inLongLine === 'decoded') {
      if (this.#line.hasNewline) this.#options.output.append(newlineBytes, 0, 1);
      this.#linesLeft--;
    }
    this.#inLongLine = undefined;
  }

  #parseLine(bytes: Buffer, start: number, end: number): boolean {
    const line = this.#line;
    if (this.#parse?.(bytes, start, end, line)) return true;
    const beginning = bytes.toString('utf8', start, Math.min(end, start + quotedBytes));
    if (this.#parse) {
      this.#options.onMalformed(beginning);
      return false;
    }
    this.#parse = [parseCriLine, parseDockerJsonLine].find((parse) => parse(bytes, start, end, line));
    if (!this.#parse) {
      throw new Error(`failed to get parse function: unsupported log format: ${JSON.stringify(beginning)}`);
    }
    return true;
  }
}
