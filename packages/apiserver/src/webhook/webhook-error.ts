import type { ApiError } from '@coxswain/apimachinery';

/** What went wrong, as far as a caller may treat it differently. */
export type WebhookFailure =
  /** There was an answer, and it says no: `status` is what it says, or what its code means. */
  | 'status'
  /** The time was up. */
  | 'deadline'
  /** Whoever asked has gone away. */
  | 'canceled'
  /** The server was not reached, or the exchange broke off. */
  | 'network'
  /** There was an answer that cannot be understood. */
  | 'answer'
  /** The configuration leads nowhere. */
  | 'configuration';

/** Why a call of a webhook has no result, in the words of upstream's client. */
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
