import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import { letOthersRun, SLICE_MS } from '../steps/slices.ts';
import { CelError, type CelValue } from '../values/values.ts';
import { AsyncNeeded, type Bindings, EvaluationCancelled, Frame, type Result, SliceExceeded } from './frame.ts';
import { runNode } from './plan-node.ts';
import type { Plan } from './planner.ts';

/** The cost limit of one evaluation in Kubernetes. */
export const PER_CALL_COST_LIMIT = 1_000_000;

/** The time limit of a synchronous evaluation. */
const MAX_SYNCHRONOUS_MS = 25;
/** An additional time limit, in case the machine was busy. */
const GRACE_MS = 15;

/** The value or the error, and the cost. */
export type EvaluationResult =
  | { readonly value: CelValue; readonly error?: undefined; readonly cost: number }
  | { readonly value?: undefined; readonly error: CelError; readonly cost: number };

export interface EvaluationOptions {
  /** Default: PER_CALL_COST_LIMIT. */
  readonly costLimit?: number;
  /** Measures the time, and runs other work between slices; by default the thread's own. */
  readonly eventLoop?: EventLoop;
}

export interface AsyncEvaluationOptions extends EvaluationOptions {
  /** Ends the evaluation with the error `operation interrupted`. */
  readonly signal?: AbortSignal;
}

/** An expression that can be evaluated any number of times, also concurrently. */
export class Program {
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Whether the expression calls asynchronous functions, so that only `evaluateAsync` can evaluate it. */
  get isAsync(): boolean {
    return this.#plan.isAsync;
  }

  /** Evaluates synchronously. Returns an error if that takes longer than 40 ms or needs an asynchronous function. */
  evaluate(bindings: Bindings, options: EvaluationOptions = {}): EvaluationResult {
    const frame = this.#frame(bindings, options);
    try {
      return this.#evaluateOnce(frame, MAX_SYNCHRONOUS_MS, GRACE_MS);
    } catch (error) {
      if (error instanceof SliceExceeded) return { error: new CelError('operation interrupted'), cost: frame.cost };
      if (error instanceof AsyncNeeded)
        return { error: new CelError('operation needs asynchronous evaluation'), cost: frame.cost };
      throw error;
    }
  }

  /**
   * Evaluates without blocking the process. A short evaluation is synchronous, and its result is not a promise. After a
   * few milliseconds it continues in slices, with other work in between.
   */
  evaluateAsync(
    bindings: Bindings,
    options: AsyncEvaluationOptions = {},
  ): EvaluationResult | Promise<EvaluationResult> {
    if (!this.#plan.isAsync) {
      try {
        return this.#evaluateOnce(this.#frame(bindings, options), SLICE_MS, 0);
      } catch (error) {
        if (!(error instanceof SliceExceeded || error instanceof AsyncNeeded)) throw error;
      }
    }
    return this.#evaluateInSlices(this.#frame(bindings, options), options);
  }

  #frame(
    bindings: Bindings,
    { costLimit = PER_CALL_COST_LIMIT, eventLoop = systemEventLoop }: EvaluationOptions,
  ): Frame {
    const { variables, localCount } = this.#plan;
    return new Frame({ bindings, variables, localCount, costLimit, eventLoop });
  }

  #evaluateOnce(frame: Frame, milliseconds: number, graceMilliseconds: number): EvaluationResult {
    frame.startSlice(milliseconds, graceMilliseconds);
    try {
      return finish(frame, this.#plan.root.evaluate(frame));
    } catch (error) {
      return cancelled(frame, error);
    }
  }

  async #evaluateInSlices(
    frame: Frame,
    { signal, eventLoop = systemEventLoop }: AsyncEvaluationOptions,
  ): Promise<EvaluationResult> {
    const evaluation = runNode(this.#plan.root, frame);
    let input: Result | undefined;
    try {
      for (;;) {
        if (signal?.aborted) throw new EvaluationCancelled('operation interrupted');
        frame.startSlice(SLICE_MS);
        const step = evaluation.next(input);
        if (step.done) return finish(frame, step.value);
        input = step.value === undefined ? await letOthersRun(eventLoop) : await settled(step.value, signal);
      }
    } catch (error) {
      return cancelled(frame, error);
    }
  }
}

function finish(frame: Frame, result: Result): EvaluationResult {
  return result instanceof CelError ? { error: result, cost: frame.cost } : { value: result, cost: frame.cost };
}

function cancelled(frame: Frame, error: unknown): EvaluationResult {
  if (error instanceof EvaluationCancelled) return { error: new CelError(error.message), cost: frame.cost };
  throw error;
}

/** Waits for an asynchronous function. A CelError that it rejects with is its result. */
async function settled(pending: Promise<CelValue>, signal: AbortSignal | undefined): Promise<Result> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new EvaluationCancelled('operation interrupted'));
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([pending, aborted]);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
