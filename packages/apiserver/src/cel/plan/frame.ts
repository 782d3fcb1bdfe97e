import { CelError, type CelValue } from '../values.ts';

/** The outcome of evaluating a part of an expression. Errors are values here, so that `&&` and `||` can absorb them. */
export type Result = CelValue | CelError;

/** The evaluation stops for good: the message is what the user gets. */
export class EvaluationCancelled extends Error {}

/** A synchronous evaluation used up its time; it can be done again in slices. */
export class SliceExceeded extends Error {}

/** The evaluation needs the result of an asynchronous function. */
export class AsyncNeeded extends Error {}

/** Values of variables: by name, or computed when an expression first uses one. */
export type Bindings = ReadonlyMap<string, CelValue> | ((name: string) => CelValue | undefined);

export interface FrameOptions {
  readonly bindings: Bindings;
  readonly variables: readonly string[];
  readonly localCount: number;
  readonly costLimit: number;
  readonly now: () => number;
}

/** Nodes evaluated between two looks at the clock. */
const TICKS_BETWEEN_CHECKS = 4096;

/** The weight of a call that may have taken long. */
export const HEAVY = TICKS_BETWEEN_CHECKS;

/** The state of one evaluation. */
export class Frame {
  cost = 0;
  /** Comprehension variables; each comprehension of an expression has its own slots. */
  readonly locals: (Result | undefined)[];
  private readonly values: (Result | undefined)[] = [];
  private readonly options: FrameOptions;
  private readonly costLimit: number;
  private sliceEnd = Number.POSITIVE_INFINITY;
  private ticks = TICKS_BETWEEN_CHECKS;
  private grace = 0;

  constructor(options: FrameOptions) {
    this.options = options;
    this.costLimit = options.costLimit;
    this.locals = new Array<Result | undefined>(options.localCount);
  }

  /** The grace is a second, final slice: the first may have passed while the process did not run at all. */
  startSlice(milliseconds: number, graceMilliseconds = 0): void {
    this.sliceEnd = this.options.now() + milliseconds;
    this.grace = graceMilliseconds;
    this.ticks = TICKS_BETWEEN_CHECKS;
  }

  /** Adds to the cost. Throws EvaluationCancelled beyond the limit. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.costLimit) throw new EvaluationCancelled('operation cancelled: actual cost limit exceeded');
  }

  /** Throws EvaluationCancelled, and counts the cost, if it goes beyond the limit. */
  checkAffordable(cost: number): void {
    if (this.cost + cost > this.costLimit) this.charge(cost);
  }

  /** The value of a declared variable; each is looked up once. */
  variable(index: number): Result {
    const known = this.values[index];
    if (known !== undefined) return known;
    const { bindings, variables } = this.options;
    const name = variables[index] ?? '';
    const value = guard(() => (typeof bindings === 'function' ? bindings(name) : bindings.get(name)));
    const result = value === undefined ? new CelError(`no such attribute(s): ${name}`) : value;
    this.values[index] = result;
    return result;
  }

  /** Whether the time slice is over; looks at the clock only after work of some weight (HEAVY: at once). */
  isSliceOver(weight: number): boolean {
    this.ticks -= weight;
    if (this.ticks > 0) return false;
    this.ticks = TICKS_BETWEEN_CHECKS;
    const now = this.options.now();
    if (now <= this.sliceEnd) return false;
    if (this.grace === 0) return true;
    this.sliceEnd = now + this.grace;
    this.grace = 0;
    return false;
  }

  /** For synchronous evaluation. Throws SliceExceeded. */
  checkSlice(weight: number): void {
    if (this.isSliceOver(weight)) throw new SliceExceeded();
  }
}

/** Turns a thrown CelError into a value. */
export function guard<T>(compute: () => T): T | CelError {
  try {
    return compute();
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}
