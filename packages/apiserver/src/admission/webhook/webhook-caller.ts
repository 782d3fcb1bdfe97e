import {
  type ApiError,
  fromStatus,
  isQualifiedName,
  newBadRequest,
  newInternalError,
  newServiceUnavailable,
  newTimeoutError,
  quote,
  type Status,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import { WebhookCallError, type WebhookClient } from '../../webhook/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import {
  type AdmissionResponse,
  admissionRequest,
  admissionReview,
  InvalidResponseError,
  readAdmissionResponse,
  reviewVersion,
} from './admission-review.ts';
import type { VersionedObjects } from './versioned-objects.ts';
import type { Invocation } from './webhook-matcher.ts';
import type { WebhookMetrics, WebhookType } from './webhook-metrics.ts';
import type { WebhookPluginOptions } from './webhook-plugin-options.ts';

/** A failed call of a webhook. Its failurePolicy decides whether the write fails. */
export class CallingWebhookError extends Error {
  /** The status for metrics. */
  readonly status: ApiError;
  readonly canceled: boolean;

  constructor(webhook: string, reason: string, status: ApiError, cause?: unknown) {
    super(`failed calling webhook ${quote(webhook)}: ${reason}`, { cause });
    this.status = status;
    this.canceled = cause instanceof WebhookCallError && cause.failure === 'canceled';
  }
}

/** A rejection by a webhook. */
class WebhookRejection extends Error {
  readonly status: ApiError;

  constructor(status: ApiError) {
    super(status.message);
    this.status = status;
  }
}

export interface WebhookCallerOptions {
  readonly client: WebhookClient;
  readonly metrics: WebhookMetrics;
  readonly type: WebhookType;
  readonly configuration?: WebhookPluginOptions['configuration'];
  readonly uuid: () => string;
  /** Receives ignored failures. */
  readonly logger: Logger;
}

/** Upstream's default timeout of a webhook. */
const defaultTimeoutSeconds = 10;

/** Calls webhooks, and converts their results to responses for clients. */
export class WebhookCaller {
  readonly #options: WebhookCallerOptions;

  constructor(options: WebhookCallerOptions) {
    this.#options = options;
  }

  /**
   * Runs one call: `apply` processes the response. Returns undefined when the call failed and failures are ignored.
   * Throws the ApiError to respond with.
   */
  async run<T>(
    invocation: Invocation,
    attributes: AdmissionAttributes,
    objects: VersionedObjects,
    { apply, failedOpen }: { readonly apply: (response: AdmissionResponse) => T; readonly failedOpen: () => void },
  ): Promise<T | undefined> {
    const { metrics, type } = this.#options;
    const { hook } = invocation;
    const { name } = hook.webhook;
    const { operation, clock } = attributes;
    const start = clock.monotonic();
    const done = (code: number, rejected: boolean): void =>
      metrics.called({ name, type, operation }, { seconds: (clock.monotonic() - start) / 1000, code, rejected });
    try {
      const result = apply(await this.#ask(invocation, attributes, objects));
      done(200, false);
      return result;
    } catch (error) {
      if (error instanceof WebhookRejection) {
        metrics.rejected(name, type, operation, 'no_error', error.status.code);
        done(error.status.code, true);
        throw error.status;
      }
      if (!(error instanceof CallingWebhookError)) {
        metrics.rejected(name, type, operation, 'apiserver_internal_error', 0);
        done(0, true);
        throw error;
      }
      const { code } = error.status;
      if (!hook.failsOpen && !error.canceled) metrics.rejected(name, type, operation, 'calling_webhook_error', code);
      done(code, !hook.failsOpen);
      if (!hook.failsOpen) throw newInternalError(error);
      if (!error.canceled) {
        metrics.failedOpen(name, type);
        failedOpen();
      }
      this.#options.logger.warn('Failed calling webhook, failing open', { webhook: name, err: error });
      return undefined;
    }
  }

  async #ask(
    invocation: Invocation,
    attributes: AdmissionAttributes,
    objects: VersionedObjects,
  ): Promise<AdmissionResponse> {
    const { client, type, uuid } = this.#options;
    const { hook } = invocation;
    const { name, clientConfig, sideEffects, admissionReviewVersions, timeoutSeconds } = hook.webhook;
    if (attributes.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
      throw newBadRequest(`admission webhook ${quote(name)} does not support dry run`);
    const version = reviewVersion(admissionReviewVersions);
    if (!version)
      throw new CallingWebhookError(
        name,
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
        newBadRequest('error creating admission objects'),
      );
    const uid = uuid();
    const review = admissionReview(version, uid, admissionRequest(attributes, invocation), objects);
    const { signal } = attributes;
    const failed = (error: unknown): CallingWebhookError => {
      const status = error instanceof WebhookCallError ? error.status : undefined;
      const reason = messageOf(error);
      return new CallingWebhookError(
        name,
        `failed to call webhook: ${reason}`,
        status ?? newServiceUnavailable('error calling webhook'),
        error,
      );
    };
    const timeoutMs = Math.min((timeoutSeconds ?? defaultTimeoutSeconds) * 1000, remainingMs(attributes));
    const { credentials } = this.#options.configuration ?? {};
    const answer = await client
      .call(clientConfig, review, { name, timeoutMs, ...(signal && { signal }), ...(credentials && { credentials }) })
      .catch((error) => {
        throw failed(error);
      });
    const response = readResponse(answer, { version, uid, mutating: type === 'admit' }, name, failed);
    annotateAndWarn(name, response, attributes);
    if (!response.allowed) throw new WebhookRejection(rejection(name, response.status));
    return response;
  }
}

function readResponse(
  answer: unknown,
  expected: Parameters<typeof readAdmissionResponse>[1],
  name: string,
  failed: (error: unknown) => Error,
): AdmissionResponse {
  try {
    return readAdmissionResponse(answer, expected);
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) throw failed(error);
    throw new CallingWebhookError(
      name,
      `received invalid webhook response: ${error.message}`,
      newServiceUnavailable('error validating webhook response'),
      error,
    );
  }
}

function annotateAndWarn(name: string, response: AdmissionResponse, { annotate, warn }: AdmissionAttributes): void {
  for (const [key, value] of Object.entries(response.auditAnnotations ?? {})) {
    const full = `${name}/${key}`;
    // Invalid names are skipped, as upstream does.
    if (isQualifiedName(full).length === 0) annotate(full, value);
  }
  for (const warning of response.warnings ?? []) warn(warning);
}

/** The response to a client for a rejection by a webhook. */
function rejection(name: string, given: Status | undefined): ApiError {
  const denied = `admission webhook ${quote(name)} denied the request`;
  const why = given?.message || given?.reason;
  const code = given?.code ?? 0;
  return fromStatus({
    ...given,
    metadata: given?.metadata ?? {},
    status: !given?.status || given.status === 'Success' ? 'Failure' : given.status,
    message: why ? `${denied}: ${why}` : `${denied} without explanation`,
    code: code < 400 ? 400 : code,
  });
}

const remainingMs = ({ deadline, clock }: AdmissionAttributes): number =>
  deadline === undefined ? Number.POSITIVE_INFINITY : deadline - clock.monotonic();

/** Throws Timeout when the deadline has passed, or the client has disconnected. */
export function assertTimeLeft(attributes: AdmissionAttributes): void {
  if (remainingMs(attributes) <= 0 || attributes.signal?.aborted)
    throw newTimeoutError('request did not complete within requested timeout', 0);
}
