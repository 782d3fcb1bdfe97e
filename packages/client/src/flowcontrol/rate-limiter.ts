/** Says when the next may go. */
export interface RateLimiter {
  /** Whether one may go now; if so, it has gone. */
  tryAccept(): boolean;
  /** Resolves when one may go. Rejects with the signal's reason, and then nothing was used up. */
  wait(signal?: AbortSignal): Promise<void>;
}
