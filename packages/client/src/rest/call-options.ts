/** What every call takes beside the API's own options. */
export interface CallOptions {
  /** Gives up: the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** The call's whole time with all its retries; instead of the config's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}
