import { writeJson } from '@coxswain/apimachinery/codec/json';
import { messageOf } from '@coxswain/apimachinery/errors';

/** What was waited for did not come about. The message tells what was seen last and what happened in the cluster. */
export class UntilTimeoutError extends Error {
  override readonly name = 'UntilTimeoutError';
}

/** What a condition said last, for people. */
export function lastSeen(value: unknown, error: unknown): string {
  if (error !== undefined) return `it last failed with: ${messageOf(error)}`;
  // Whoever only asserts finds out here why that was not enough.
  if (value === undefined) return 'it last gave undefined; a condition is met when it gives something true';
  return `it last gave ${typeof value === 'object' ? writeJson(value).slice(0, 500) : String(value)}`;
}
