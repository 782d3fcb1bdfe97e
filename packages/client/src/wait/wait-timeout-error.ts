/** The condition was not met before the timeout, or within the allowed tries. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';

  constructor(options?: ErrorOptions) {
    super('timed out waiting for the condition', options);
  }
}

/** Whether the wait ended before its condition was met or failed, because it timed out or was cancelled. */
export function isInterrupted(error: unknown): boolean {
  // Bounded, because errors may be each other's cause.
  for (let i = 0; i < 100 && error instanceof Error; i++) {
    if (error instanceof WaitTimeoutError || error.name === 'AbortError' || error.name === 'TimeoutError') return true;
    error = error.cause;
  }
  return false;
}
