import type { ApiError } from '@coxswain/apimachinery';

/** The sort of failure, as far as callers may distinguish it. */
export type WebhookFailure =
  /** An error response. `status` has its Status, or one derived from the status code. */
  | 'status'
  /** The timeout expired. */
  | 'deadline'
  /** The caller aborted the call. */
  | 'canceled'
  /** The connection failed or broke. */
  | 'network'
  /** The response is not valid JSON or YAML. */
  | 'answer'
  /** The configuration is invalid. */
  | 'configuration';

/** A failed call of a webhook. The message is that of upstream's client. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
  readonly failure: WebhookFailure;
  readonly status: ApiError | undefined;

  constructor(message: string, failure: WebhookFailure, options: ErrorOptions & { readonly status?: ApiError } = {}) {
    super(message, options);
    this.failure = failure;
    this.status = options.status;
  }
}
