import type { Clock } from '@coxswain/apimachinery/clock';

/** Options of all waiting functions. */
export interface WaitOptions {
  readonly clock?: Clock;
  /** Aborts the wait, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns whether the condition is met. An error ends the wait. The signal is aborted when the wait ends. */
export type WaitCondition = (signal: AbortSignal) => boolean | Promise<boolean>;
