export {
  type BackoffPolicy,
  BackoffSteps,
  type BackoffWithResetOptions,
  backoffDelays,
  backoffDelaysWithReset,
  type DelayFunction,
  jitter,
} from './backoff.ts';
export { type ChildSignal, type ChildSignalOptions, childSignal, untilAborted } from './child-signal.ts';
export { type ExponentialBackoffOptions, exponentialBackoff, type PollOptions, pollUntil } from './poll.ts';
export { backoffUntil, type JitterUntilOptions, jitterUntil, type UntilOptions, until } from './until.ts';
export { type ObjectCondition, type UntilWithSyncOptions, untilWithSync } from './until-with-sync.ts';
export type { WaitCondition, WaitOptions } from './wait-options.ts';
export { isInterrupted, WaitTimeoutError } from './wait-timeout-error.ts';
