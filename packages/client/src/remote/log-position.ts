import { timeFromDate } from '@coxswain/apimachinery/time';

/** A line of a log and when it was written. */
export interface LogLine {
  /** As the node has it: RFC 3339 with nanoseconds. */
  readonly timestamp: string;
  readonly text: string;
}

interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** Reads a line of a log with timestamps; undefined when it has none, because it is the rest of one that was cut. */
export function readLogLine(line: string): (LogLine & { readonly at: Instant }) | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)(?: |$)/.exec(line);
  if (!match) return undefined;
  const [head, moment, fraction = '', zone] = match;
  const seconds = Date.parse(`${moment}${zone}`) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  const at = { seconds, nanoseconds: Number(fraction.padEnd(9, '0')) };
  return { timestamp: head.trimEnd(), text: line.slice(head.length), at };
}

/**
 * How far a log was read, so that it can be read on from there. Servers understand whole seconds only and send the second
 * that was read last again: what was seen of it is left out. Lines with the very same timestamp are told apart by their
 * number alone.
 */
export class LogPosition {
  #last: Instant | undefined;
  /** How many lines were seen that have the last timestamp. */
  #seenAtLast = 0;
  /** How many of these are still to come again. */
  #repeatsLeft = 0;
  /** How many lines there were. */
  lines = 0;

  /** Where to read on, as `sinceTime`; undefined when nothing was read. */
  get sinceTime(): string | undefined {
    return this.#last && timeFromDate(new Date(this.#last.seconds * 1000));
  }

  /** From here on the lines of the last second come again. */
  resume(): void {
    this.#repeatsLeft = this.#seenAtLast;
  }

  /** Whether a line was not seen before; it is from now on. */
  isNew(at: Instant): boolean {
    const isNew = this.#take(at);
    if (isNew) this.lines++;
    return isNew;
  }

  #take(at: Instant): boolean {
    const order = this.#last ? compare(at, this.#last) : 1;
    if (order > 0) {
      this.#last = at;
      this.#seenAtLast = 1;
      this.#repeatsLeft = 0;
      return true;
    }
    // Clocks of nodes may be set back: then lines are older without having been seen, but not when they come again.
    if (order < 0) return this.#repeatsLeft === 0;
    if (this.#repeatsLeft > 0) {
      this.#repeatsLeft--;
      return false;
    }
    this.#seenAtLast++;
    return true;
  }
}

const compare = (a: Instant, b: Instant): number => a.seconds - b.seconds || a.nanoseconds - b.nanoseconds;
