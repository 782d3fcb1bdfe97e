import { writeJson } from '../json/stringify-json.ts';
import type { CauseType, KnownStatusReason, Status, StatusCause, StatusDetails, StatusReason } from '../meta/status.ts';
import { messageOf } from './message-of.ts';

/**
 * A failed API call. `status` is the Status sent over the wire, in the form upstream writes it; its message is the error's message.
 * `cause` is the error that led to it, if any.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? '', options);
    this.status = status;
  }

  /** The HTTP status code; 0 when the Status has none. */
  get code(): number {
    return this.status.code ?? 0;
  }

  /** Empty when the Status has no reason. */
  get reason(): StatusReason {
    return this.status.reason ?? '';
  }

  get details(): StatusDetails | undefined {
    return this.status.details;
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }
}

/** Returns the first ApiError in the chain of the error and its causes. */
export const asApiError = (error: unknown): ApiError | undefined => findInCauses(error, ApiError);

/** Returns the first error of a class in the chain of the error and its causes. */
export function findInCauses<T extends Error>(
  error: unknown,
  type: abstract new (...args: never[]) => T,
): T | undefined {
  // The limit is for errors that are each other's cause.
  for (let i = 0; i < 100 && error instanceof Error; i++) {
    if (error instanceof type) return error;
    error = error.cause;
  }
  return undefined;
}

/** Thrown when a response is another object where a Status was expected. */
export class UnexpectedObjectError extends Error {
  override readonly name = 'UnexpectedObjectError';
  readonly object: unknown;

  constructor(object: unknown) {
    super(`unexpected object: ${writeJson(object)}`);
    this.object = object;
  }
}

/** Returns the error that a Status describes. */
export function fromStatus(status: Status, options?: ErrorOptions): ApiError {
  return new ApiError(status, options);
}

/** Returns the error that a received object describes: an ApiError for a Status, an UnexpectedObjectError for any other object. */
export function fromObject(object: unknown): ApiError | UnexpectedObjectError {
  return isStatus(object) ? new ApiError(object) : new UnexpectedObjectError(object);
}

/** Returns the Status to send for an error, complete with kind, status and code. An error that is not an ApiError is a 500. */
export function toStatus(error: unknown): Status {
  const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  if (error instanceof ApiError) {
    const status = error.status.status || 'Failure';
    const code = error.status.code || (status === 'Success' ? 200 : 500);
    return { ...head, ...error.status, kind: 'Status', apiVersion: 'v1', status, code };
  }
  return { ...head, message: messageOf(error), code: 500 };
}

/** Returns an error with a Failure in the form upstream writes it: empty fields are left out. */
export function failure(
  code: number,
  reason: KnownStatusReason,
  message: string,
  details?: StatusDetails,
  options?: ErrorOptions,
): ApiError {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  if (message !== '') status.message = message;
  if (reason !== '') status.reason = reason;
  if (details !== undefined) status.details = withoutEmpty(details);
  status.code = code;
  return new ApiError(status, options);
}

/** Returns the first cause of this type in the Status of the error, or of the ApiError that caused it. */
export function statusCause(error: unknown, type: CauseType): StatusCause | undefined {
  return asApiError(error)?.causes.find((cause) => cause.reason === type);
}

function withoutEmpty({ name, group, kind, uid, causes, retryAfterSeconds }: StatusDetails): StatusDetails {
  const details: StatusDetails = {};
  if (name) details.name = name;
  if (group) details.group = group;
  if (kind) details.kind = kind;
  if (uid) details.uid = uid;
  if (causes && causes.length > 0) details.causes = causes;
  if (retryAfterSeconds) details.retryAfterSeconds = retryAfterSeconds;
  return details;
}

function isStatus(object: unknown): object is Status {
  return (
    typeof object === 'object' &&
    object !== null &&
    'kind' in object &&
    object.kind === 'Status' &&
    'apiVersion' in object &&
    (object.apiVersion === 'v1' || object.apiVersion === 'meta.k8s.io/v1')
  );
}
