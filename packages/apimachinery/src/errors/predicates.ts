import type { CauseType, KnownStatusReason, StatusReason } from '../meta/status.ts';
import { asApiError, findInCauses, statusCause, UnexpectedObjectError } from './api-error.ts';

/* Predicates on errors. All of them search the chain of causes for an ApiError, and return false when there is none. */

/**
 * With one of these reasons, the code is ignored. With any other reason the code decides, because proxies and old servers send only a
 * code.
 */
const knownReasons: ReadonlySet<StatusReason> = new Set<KnownStatusReason>([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StorageReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
]);

type Predicate = (error: unknown) => boolean;

const hasReason =
  (reason: KnownStatusReason): Predicate =>
  (error) =>
    reasonForError(error) === reason;

const hasReasonOrCode =
  (reason: KnownStatusReason, code: number): Predicate =>
  (error) => {
    const api = asApiError(error);
    return api !== undefined && (api.reason === reason || (!knownReasons.has(api.reason) && api.code === code));
  };

/** For the reason, or the code even with another known reason. */
const hasReasonOrAnyCode =
  (reason: KnownStatusReason, code: number): Predicate =>
  (error) => {
    const api = asApiError(error);
    return api !== undefined && (api.reason === reason || api.code === code);
  };

export const isNotFound: Predicate = hasReasonOrCode('NotFound', 404);
export const isAlreadyExists: Predicate = hasReason('AlreadyExists');
export const isConflict: Predicate = hasReasonOrCode('Conflict', 409);
export const isInvalid: Predicate = hasReasonOrCode('Invalid', 422);
export const isGone: Predicate = hasReasonOrCode('Gone', 410);
export const isResourceExpired: Predicate = hasReason('Expired');
export const isNotAcceptable: Predicate = hasReasonOrCode('NotAcceptable', 406);
export const isUnsupportedMediaType: Predicate = hasReasonOrCode('UnsupportedMediaType', 415);
export const isMethodNotSupported: Predicate = hasReasonOrCode('MethodNotAllowed', 405);
export const isServiceUnavailable: Predicate = hasReasonOrCode('ServiceUnavailable', 503);
export const isBadRequest: Predicate = hasReasonOrCode('BadRequest', 400);
export const isUnauthorized: Predicate = hasReasonOrCode('Unauthorized', 401);
export const isForbidden: Predicate = hasReasonOrCode('Forbidden', 403);
export const isTimeout: Predicate = hasReasonOrCode('Timeout', 504);
/** By reason only, because no HTTP code has this meaning alone. */
export const isServerTimeout: Predicate = hasReason('ServerTimeout');
export const isInternalError: Predicate = hasReasonOrCode('InternalError', 500);
export const isTooManyRequests: Predicate = hasReasonOrAnyCode('TooManyRequests', 429);
export const isRequestEntityTooLarge: Predicate = hasReasonOrAnyCode('RequestEntityTooLarge', 413);
export const isStoreReadError: Predicate = hasReason('StorageReadError');

/** True when the response is not in the form of the API, so it may not come from an API server. */
export const isUnexpectedServerError: Predicate = (error) => hasStatusCause(error, 'UnexpectedServerResponse');

/** True when another object was received where a Status was expected. */
export const isUnexpectedObjectError: Predicate = (error) => findInCauses(error, UnexpectedObjectError) !== undefined;

/** True when the Status of the error has a cause of this type. */
export const hasStatusCause = (error: unknown, type: CauseType): boolean => statusCause(error, type) !== undefined;

/** Returns the reason of an API error; empty for errors without a reason and for other errors. */
export const reasonForError = (error: unknown): StatusReason => asApiError(error)?.reason ?? '';

/** Returns the number of seconds to wait before the next request; undefined when the error does not request a delay. */
export function suggestsClientDelay(error: unknown): number | undefined {
  const api = asApiError(error);
  if (!api?.details) return undefined;
  const seconds = api.details.retryAfterSeconds ?? 0;
  return seconds > 0 || api.reason === 'ServerTimeout' ? seconds : undefined;
}
