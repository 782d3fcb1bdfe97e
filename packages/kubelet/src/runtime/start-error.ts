/** Thrown when a container cannot be started. `reason` and the message become those of its status, which is `waiting`. */
export class StartError extends Error {
  readonly reason: string;
  /** The time of the next attempt. If undefined, the pod is synced again after the usual delay. */
  readonly retryAtMs: number | undefined;

  constructor(
    reason: string,
    message: string,
    options: { readonly retryAtMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'StartError';
    this.reason = reason;
    this.retryAtMs = options.retryAtMs;
  }
}
