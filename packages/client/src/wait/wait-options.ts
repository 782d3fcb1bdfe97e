import type { Clock } from '@coxswain/apimachinery/clock';

/** What all waiting takes. */
export interface WaitOptions {
  readonly clock?: Clock;
  /** Gives up: the wait rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Whether what is waited for has come. What it throws ends the wait. The signal ends with the wait. */
export type WaitCondition = (signal: AbortSignal) => boolean | Promise<boolean>;
