import { aggregate, type FieldError } from '../field/error.ts';
import type { GroupKind, GroupResource } from '../meta/group-version.ts';
import type { StatusCause } from '../meta/status.ts';
import { quote } from '../strconv/quote.ts';
import { type ApiError, failure } from './api-error.ts';

/** Why something failed: an error, which becomes the `cause`, or just words. */
export type Why = Error | string;

const words = (why: Why): string => (typeof why === 'string' ? why : why.message);
const causedBy = (why: Why): ErrorOptions | undefined => (typeof why === 'string' ? undefined : { cause: why });
const at = ({ group, resource }: GroupResource, name = '') => ({ name, group, kind: resource });

export const newNotFound = (resource: GroupResource, name: string, options?: ErrorOptions): ApiError =>
  failure(404, 'NotFound', `${resource} ${quote(name)} not found`, at(resource, name), options);

export const newAlreadyExists = (resource: GroupResource, name: string, options?: ErrorOptions): ApiError =>
  failure(409, 'AlreadyExists', `${resource} ${quote(name)} already exists`, at(resource, name), options);

/** No free name was found for an object with a generateName. */
export const newGenerateNameConflict = (resource: GroupResource, name: string, retryAfterSeconds: number): ApiError =>
  failure(
    409,
    'AlreadyExists',
    `${resource} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    { ...at(resource, name), retryAfterSeconds },
  );

/** Who is asking is not known. */
export const newUnauthorized = (reason: string, options?: ErrorOptions): ApiError =>
  failure(401, 'Unauthorized', reason || 'not authorized', undefined, options);

/** Who is asking may not. Without a resource or name, the message goes without. */
export function newForbidden(resource: GroupResource, name: string, why: Why): ApiError {
  const what = resource.isEmpty ? 'forbidden' : `${resource}${name && ` ${quote(name)}`} is forbidden`;
  return failure(403, 'Forbidden', `${what}: ${words(why)}`, at(resource, name), causedBy(why));
}

/** The object changed meanwhile, or is not in a state that allows it. */
export const newConflict = (resource: GroupResource, name: string, why: Why): ApiError =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resource} ${quote(name)}: ${words(why)}`,
    at(resource, name),
    causedBy(why),
  );

/** Others own fields that an apply wants to change: one cause for each. */
export const newApplyConflict = (causes: StatusCause[], message: string): ApiError =>
  failure(409, 'Conflict', message, { causes });

export const newGone = (message: string): ApiError => failure(410, 'Gone', message);

/** The resource version or continue token is older than what the server still has. */
export const newResourceExpired = (message: string, options?: ErrorOptions): ApiError =>
  failure(410, 'Expired', message, undefined, options);

/**
 * What is longer says no more of its problems. Differs from upstream: each of them may quote a list as long as the
 * request, and there may be one for every item of it.
 */
const maxInvalidLength = 256 * 1024;

/** The object breaks rules: one cause for each, all of them in the message. */
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

/** The endpoint takes no more now; the client should wait that long. */
export const newTooManyRequests = (message: string, retryAfterSeconds: number): ApiError =>
  failure(429, 'TooManyRequests', message, { retryAfterSeconds });

/** The server as a whole takes no more now. */
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

/** A passing failure: the request was not carried out, and may be tried again. */
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

/** Time ran out: the request may still be carried out. */
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

/** The client accepts no media type that the server can write. */
export const newNotAcceptable = (accepted: readonly string[]): ApiError =>
  failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

/** The same, for an answer converted to another kind, such as a Table. */
export const newNotAcceptableConversion = (target: string, accepted: readonly string[]): ApiError =>
  failure(
    406,
    'NotAcceptable',
    `only the following media types are accepted when converting to ${target}: ${accepted.join(', ')}`,
  );

/** The request's body is in a media type that the server cannot read. */
export const newUnsupportedMediaType = (accepted: readonly string[]): ApiError =>
  failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
