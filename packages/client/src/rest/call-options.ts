/** Options of every call, in addition to the API's options. */
export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of the whole call including retries, instead of the config's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}
