/** What was waited for did not come about. The message tells what was seen last and what happened in the cluster. */
export class UntilTimeoutError extends Error {
  override readonly name = 'UntilTimeoutError';
}

/** What a condition said last, for people. */
export function lastSeen(value: unknown, error: unknown): string {
  if (error !== undefined) return `it last failed with: ${error instanceof Error ? error.message : String(error)}`;
  return `it last gave ${typeof value === 'object' ? JSON.stringify(value)?.slice(0, 500) : String(value)}`;
}
