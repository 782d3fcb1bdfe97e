import { writeJson } from '@coxswain/apimachinery/codec/json';
import { messageOf } from '@coxswain/apimachinery/errors';

/**
 * The error of a wait that timed out. The message has the last result of the condition, the pods that are not ready,
 * and the latest Events.
 */
export class UntilTimeoutError extends Error {
  override readonly name = 'UntilTimeoutError';
}

/** Describes the last outcome of a condition. */
export function lastSeen(value: unknown, error: unknown): string {
  if (error !== undefined) return `the last error was: ${messageOf(error)}`;
  // For conditions that only contain assertions and return nothing.
  if (value === undefined) return 'the last result was undefined; a condition is met when its result is truthy';
  return `the last result was ${typeof value === 'object' ? writeJson(value).slice(0, 500) : String(value)}`;
}
