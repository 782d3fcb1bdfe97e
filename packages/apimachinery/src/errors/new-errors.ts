import { aggregate, type FieldError } from '../field/error.ts';
import type { GroupKind, GroupResource } from '../meta/group-version.ts';
import type { StatusCause } from '../meta/status.ts';
import { quote } from '../strconv/quote.ts';
import { type ApiError, failure } from './api-error.ts';

/** Why something failed: an error, which becomes the `cause`, or a text. */
export type Why = Error | string;

const words = (why: Why): string => (typeof why === 'string' ? why : why.message);
const causedBy = (why: Why): ErrorOptions | undefined => (typeof why === 'string' ? undefined : { cause: why });
const at = ({ group, resource }: GroupResource, name = '') => ({ name, group, kind: resource });

export const newNotFound = (resource: GroupResource, name: string, options?: ErrorOptions): ApiError =>
  failure(404, 'NotFound', `${resource} ${quote(name)} not found`, at(resource, name), options);

export const newAlreadyExists = (resource: GroupResource, name: string, options?: ErrorOptions): ApiError =>
  failure(409, 'AlreadyExists', `${resource} ${quote(name)} already exists`, at(resource, name), options);

/** 409: no free name was found for an object with a generateName. */
export const newGenerateNameConflict = (resource: GroupResource, name: string, retryAfterSeconds: number): ApiError =>
  failure(
    409,
    'AlreadyExists',
    `${resource} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    { ...at(resource, name), retryAfterSeconds },
  );

/** 401: the client is not authenticated. */
export const newUnauthorized = (reason: string, options?: ErrorOptions): ApiError =>
  failure(401, 'Unauthorized', reason || 'not authorized', undefined, options);

/** 403: the client is not allowed to do this. Without a resource or a name, the message does not mention it. */
export function newForbidden(resource: GroupResource, name: string, why: Why): ApiError {
  const what = resource.isEmpty ? 'forbidden' : `${resource}${name && ` ${quote(name)}`} is forbidden`;
  return failure(403, 'Forbidden', `${what}: ${words(why)}`, at(resource, name), causedBy(why));
}

/** 409: the object has changed meanwhile, or its state does not allow the operation. */
export const newConflict = (resource: GroupResource, name: string, why: Why): ApiError =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resource} ${quote(name)}: ${words(why)}`,
    at(resource, name),
    causedBy(why),
  );

/** 409: other managers own fields that an apply would change. Each is a cause. */
export const newApplyConflict = (causes: StatusCause[], message: string): ApiError =>
  failure(409, 'Conflict', message, { causes });

export const newGone = (message: string): ApiError => failure(410, 'Gone', message);

/** 410: the resource version or continue token is older than the data that the server still has. */
export const newResourceExpired = (message: string, options?: ErrorOptions): ApiError =>
  failure(410, 'Expired', message, undefined, options);

/**
 * A message that is longer than this lists no further errors. Differs from upstream: each error may quote a list as long as the request,
 * and there may be one error per item.
 */
const maxInvalidLength = 256 * 1024;

/** 422: the object violates validation rules. Each violation is a cause, and all of them are in the message. */
export function newInvalid(kind: GroupKind, name: string, errors: readonly FieldError[]): ApiError {
  const causes: StatusCause[] = [];
  let length = 0;
  for (const error of errors) {
    if (length > maxInvalidLength) break;
    const cause: StatusCause = { reason: error.type, message: error.body() };
    if (error.field !== '') cause.field = error.field;
    causes.push(cause);
    length += cause.message?.length ?? 0;
  }
  const all = aggregate(errors.slice(0, causes.length));
  const message = `${kind} ${quote(name)} is invalid${all && `: ${all}`}`;
  return failure(422, 'Invalid', message, { name, group: kind.group, kind: kind.kind, causes });
}

export const newBadRequest = (reason: string, options?: ErrorOptions): ApiError =>
  failure(400, 'BadRequest', reason, undefined, options);

/** 429: the endpoint accepts no more requests now; the client should wait `retryAfterSeconds`. */
export const newTooManyRequests = (message: string, retryAfterSeconds: number): ApiError =>
  failure(429, 'TooManyRequests', message, { retryAfterSeconds });

/** 429: the server as a whole accepts no more requests now. */
export const newTooManyRequestsError = (message: string): ApiError =>
  failure(429, 'TooManyRequests', `Too many requests: ${message}`);

export const newServiceUnavailable = (reason: string, options?: ErrorOptions): ApiError =>
  failure(503, 'ServiceUnavailable', reason, undefined, options);

export const newMethodNotSupported = (resource: GroupResource, action: string): ApiError =>
  failure(
    405,
    'MethodNotAllowed',
    `${action} is not supported on resources of kind ${quote(resource.toString())}`,
    at(resource),
  );

/** 500: a temporary failure. The request was not carried out and may be retried. */
export const newServerTimeout = (
  resource: GroupResource,
  operation: string,
  retryAfterSeconds: number,
  options?: ErrorOptions,
): ApiError =>
  failure(
    500,
    'ServerTimeout',
    `The ${operation} operation against ${resource} could not be completed at this time, please try again.`,
    { ...at(resource, operation), retryAfterSeconds },
    options,
  );

/** 504: the time limit was exceeded. The request may still be carried out. */
export const newTimeoutError = (message: string, retryAfterSeconds: number, options?: ErrorOptions): ApiError =>
  failure(504, 'Timeout', `Timeout: ${message}`, { retryAfterSeconds }, options);

export const newInternalError = (why: Why): ApiError =>
  failure(
    500,
    'InternalError',
    `Internal error occurred: ${words(why)}`,
    { causes: [words(why) === '' ? {} : { message: words(why) }] },
    causedBy(why),
  );

export const newRequestEntityTooLarge = (message: string): ApiError =>
  failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);

/** 406: the client accepts no media type that the server can write. */
export const newNotAcceptable = (accepted: readonly string[]): ApiError =>
  failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

/** 406: like `newNotAcceptable`, for a response converted to another kind, such as a Table. */
export const newNotAcceptableConversion = (target: string, accepted: readonly string[]): ApiError =>
  failure(
    406,
    'NotAcceptable',
    `only the following media types are accepted when converting to ${target}: ${accepted.join(', ')}`,
  );

/** 415: the media type of the request's body is not one that the server can read. */
export const newUnsupportedMediaType = (accepted: readonly string[]): ApiError =>
  failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
