import { timeFromDate } from '@coxswain/apimachinery/time';

/** A line of a log with its timestamp. */
export interface LogLine {
  /** The node's timestamp: RFC 3339 with nanoseconds. */
  readonly timestamp: string;
  readonly text: string;
}

interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/**
 * Parses a line of a log with timestamps; returns undefined when it has none, because it continues a line that was
 * split.
 */
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
 * The position in a log, for resuming. `sinceTime` has a resolution of whole seconds, so servers send the last second
 * again: the lines seen before are skipped. Lines with the same timestamp are only told apart by their number.
 */
export class LogPosition {
  #last: Instant | undefined;
  /** Number of lines seen with the last timestamp. */
  #seenAtLast = 0;
  /** Number of these lines that are still to be repeated. */
  #repeatsLeft = 0;
  /** Number of new lines so far. */
  lines = 0;

  /** The `sinceTime` for resuming; undefined when nothing was read. */
  get sinceTime(): string | undefined {
    return this.#last && timeFromDate(new Date(this.#last.seconds * 1000));
  }

  /** To be called before resuming: the lines of the last second are repeated. */
  resume(): void {
    this.#repeatsLeft = this.#seenAtLast;
  }

  /** Returns whether a line is new, and records it as seen. */
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
    // If the node's clock was set back, new lines are older than the last one. Repeated lines are older, too.
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
