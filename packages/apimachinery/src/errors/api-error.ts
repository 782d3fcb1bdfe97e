import { writeJson } from '../json/stringify-json.ts';
import type { CauseType, KnownStatusReason, Status, StatusCause, StatusDetails, StatusReason } from '../meta/status.ts';
import { messageOf } from './message-of.ts';

/**
 * A failed API call. Carries the Status that goes over the wire, in the form upstream writes it; its message is the
 * error's. Where something else led to it, that is the `cause`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? '', options);
    this.status = status;
  }

  /** The HTTP status code, 0 when the Status says none. */
  get code(): number {
    return this.status.code ?? 0;
  }

  /** Empty when the Status says none. */
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

/** The first ApiError among the error and what caused it. */
export const asApiError = (error: unknown): ApiError | undefined => findInCauses(error, ApiError);

/** The first error of that class among the error and what caused it. */
export function findInCauses<T extends Error>(
  error: unknown,
  type: abstract new (...args: never[]) => T,
): T | undefined {
  // The bound is for errors that cause each other.
  for (let i = 0; i < 100 && error instanceof Error; i++) {
    if (error instanceof type) return error;
    error = error.cause;
  }
  return undefined;
}

/** What a call answered that should have been a Status is something else. */
export class UnexpectedObjectError extends Error {
  override readonly name = 'UnexpectedObjectError';
  readonly object: unknown;

  constructor(object: unknown) {
    super(`unexpected object: ${writeJson(object)}`);
    this.object = object;
  }
}

/** The error that a Status describes. */
export function fromStatus(status: Status, options?: ErrorOptions): ApiError {
  return new ApiError(status, options);
}

/** The error that a received object describes: an ApiError for a Status, an UnexpectedObjectError for all else. */
export function fromObject(object: unknown): ApiError | UnexpectedObjectError {
  return isStatus(object) ? new ApiError(object) : new UnexpectedObjectError(object);
}

/** What to answer for an error, whatever it is: complete with kind, status and code. Errors of other kinds are a 500. */
export function toStatus(error: unknown): Status {
  const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  if (error instanceof ApiError) {
    const status = error.status.status || 'Failure';
    const code = error.status.code || (status === 'Success' ? 200 : 500);
    return { ...head, ...error.status, kind: 'Status', apiVersion: 'v1', status, code };
  }
  return { ...head, message: messageOf(error), code: 500 };
}

/** A Failure in the form upstream writes it: what is empty is left out. */
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

/** The first cause of that type, of the error or what caused it. */
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
