import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { Work } from '../steps/steps.ts';
import { CelError, CelList, CelMap, type CelValue } from '../values/values.ts';

/** The result of evaluating a part of an expression. Errors are values here, so that `&&` and `||` can absorb them. */
export type Result = CelValue | CelError;

/** Thrown to end the evaluation; the message is that of its error. */
export class EvaluationCancelled extends Error {}

/** Thrown when a synchronous evaluation exceeds its time. It can be repeated in slices. */
export class SliceExceeded extends Error {}

/** Thrown when a synchronous evaluation reaches an asynchronous function. */
export class AsyncNeeded extends Error {}

/** Values of variables: by name, or computed on first use. */
export type Bindings = ReadonlyMap<string, CelValue> | ((name: string) => CelValue | undefined);

export interface FrameOptions {
  readonly bindings: Bindings;
  readonly variables: readonly string[];
  readonly localCount: number;
  readonly costLimit: number;
  readonly eventLoop: EventLoop;
}

/**
 * The limit for the steps of long operations in one evaluation, about a second or two. Differs from upstream, which has
 * no limit: some operations cost next to nothing even for very large arguments.
 */
const MAX_STEPS = 50_000_000;

/**
 * The limit for the values that the operations of one evaluation create: counted in characters, with sixteen for each
 * element of a list or map. Differs from upstream, which has no limit: some operations create more than their cost
 * says.
 */
const MAX_MADE = 64 * 1024 * 1024;

/** The number of nodes evaluated between two reads of the clock. */
const TICKS_BETWEEN_CHECKS = 4096;

/** The weight of a call that may have taken long. */
export const HEAVY = TICKS_BETWEEN_CHECKS;

/** The state of one evaluation. */
export class Frame {
  cost = 0;
  /** Comprehension variables; each comprehension of an expression has its own slots. */
  readonly locals: (Result | undefined)[];
  readonly #values: (Result | undefined)[] = [];
  readonly #options: FrameOptions;
  readonly #costLimit: number;
  #sliceEnd = Number.POSITIVE_INFINITY;
  #ticks = TICKS_BETWEEN_CHECKS;
  #grace = 0;
  #stepsLeft = MAX_STEPS;
  #madeLeft = MAX_MADE;

  constructor(options: FrameOptions) {
    this.#options = options;
    this.#costLimit = options.costLimit;
    this.locals = new Array<Result | undefined>(options.localCount);
  }

  /**
   * Starts a slice. The grace period is a second, final slice, because the process may have been suspended during the
   * first one.
   */
  startSlice(milliseconds: number, graceMilliseconds = 0): void {
    this.#sliceEnd = this.#options.eventLoop.workedMs() + milliseconds;
    this.#grace = graceMilliseconds;
    this.#ticks = TICKS_BETWEEN_CHECKS;
  }

  /** Adds to the cost. Throws EvaluationCancelled beyond the limit. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#costLimit) throw new EvaluationCancelled('operation cancelled: actual cost limit exceeded');
  }

  /** Throws EvaluationCancelled, and adds the cost, if it would exceed the limit. */
  checkAffordable(cost: number): void {
    if (this.cost + cost > this.#costLimit) this.charge(cost);
  }

  /** Returns the value of a declared variable; each is looked up once. */
  variable(index: number): Result {
    const known = this.#values[index];
    if (known !== undefined) return known;
    const { bindings, variables } = this.#options;
    const name = variables[index] ?? '';
    const value = guard(() => (typeof bindings === 'function' ? bindings(name) : bindings.get(name)));
    const result = value === undefined ? new CelError(`no such attribute(s): ${name}`) : value;
    this.#values[index] = result;
    return result;
  }

  /** Reports whether the time slice is over. Reads the clock only after some amount of work (`weight` HEAVY: at once). */
  isSliceOver(weight: number): boolean {
    this.#ticks -= weight;
    if (this.#ticks > 0) return false;
    this.#ticks = TICKS_BETWEEN_CHECKS;
    const now = this.#options.eventLoop.workedMs();
    if (now <= this.#sliceEnd) return false;
    if (this.#grace === 0) return true;
    this.#sliceEnd = now + this.#grace;
    this.#grace = 0;
    return false;
  }

  /** Completes an operation. Throws SliceExceeded if it takes too long, and CelError. */
  complete<T>(work: Work<T>): T {
    for (;;) {
      const step = work.steps.next();
      if (step.done) return step.value;
      this.#spend(step.value);
      this.checkSlice(step.value);
    }
  }

  /** Completes an operation in slices. Throws CelError. */
  *inSlices<T>(work: Work<T>): Generator<undefined, T, unknown> {
    for (;;) {
      const step = work.steps.next();
      if (step.done) return step.value;
      this.#spend(step.value);
      if (this.isSliceOver(step.value)) yield undefined;
    }
  }

  #spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new EvaluationCancelled('operation cancelled: evaluation took too many steps');
  }

  /** Counts the memory of a value that an operation created. Throws EvaluationCancelled beyond the limit. */
  made(value: Result): void {
    this.#madeLeft -= weightOf(value);
    if (this.#madeLeft < 0) throw new EvaluationCancelled('operation cancelled: evaluation took too much memory');
  }

  /** Throws SliceExceeded when the time slice is over; for synchronous evaluation. */
  checkSlice(weight: number): void {
    if (this.isSliceOver(weight)) throw new SliceExceeded();
  }
}

function weightOf(value: Result): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof CelList || value instanceof CelMap) return 16 * value.size;
  return value instanceof Uint8Array ? value.length : 1;
}

/** Returns a thrown CelError as a value. */
export function guard<T>(compute: () => T): T | CelError {
  try {
    return compute();
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}
