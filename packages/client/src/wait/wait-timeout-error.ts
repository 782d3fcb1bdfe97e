/** What was waited for did not happen in time, or within the tries allowed. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';

  constructor(options?: ErrorOptions) {
    super('timed out waiting for the condition', options);
  }
}

/** Whether the wait ended before its condition was met or failed: it timed out, or was cancelled. */
export function isInterrupted(error: unknown): boolean {
  // By the bound, for errors that cause each other.
  for (let i = 0; i < 100 && error instanceof Error; i++) {
    if (error instanceof WaitTimeoutError || error.name === 'AbortError' || error.name === 'TimeoutError') return true;
    error = error.cause;
  }
  return false;
}
