/** A container could not be started: the reason that its status waits for, and the message beside it. */
export class StartError extends Error {
  readonly reason: string;
  /** When it is worth trying again; without, after the usual time. */
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
