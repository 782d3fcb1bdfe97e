/** Limits the rate of calls, for example requests. */
export interface RateLimiter {
  /** Takes a token if one is available. Returns whether it did. */
  tryAccept(): boolean;
  /** Resolves when a token was taken. Rejects with the signal's reason; then no token is consumed. */
  wait(signal?: AbortSignal): Promise<void>;
}
