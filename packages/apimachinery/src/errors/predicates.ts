import type { CauseType, KnownStatusReason, StatusReason } from '../meta/status.ts';
import { asApiError, findInCauses, statusCause, UnexpectedObjectError } from './api-error.ts';

/*
 * What went wrong, asked of any error. All of these look through wrapping errors by their `cause`, and answer false for
 * what is no API error at all.
 */

/** Reasons that settle the question. With any other reason the code counts: proxies and old servers send only that. */
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

/** These two go by the code even where a known reason says otherwise. */
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
/** By reason only: no HTTP code means just this. */
export const isServerTimeout: Predicate = hasReason('ServerTimeout');
export const isInternalError: Predicate = hasReasonOrCode('InternalError', 500);
export const isTooManyRequests: Predicate = hasReasonOrAnyCode('TooManyRequests', 429);
export const isRequestEntityTooLarge: Predicate = hasReasonOrAnyCode('RequestEntityTooLarge', 413);
export const isStoreReadError: Predicate = hasReason('StorageReadError');

/** The answer did not come in the API's form, so perhaps not from an API server. */
export const isUnexpectedServerError: Predicate = (error) => hasStatusCause(error, 'UnexpectedServerResponse');

/** Something came where a Status was due. */
export const isUnexpectedObjectError: Predicate = (error) => findInCauses(error, UnexpectedObjectError) !== undefined;

/** Whether the error names a cause of that type. */
export const hasStatusCause = (error: unknown, type: CauseType): boolean => statusCause(error, type) !== undefined;

/** Empty for errors without a reason, and for what is no API error. */
export const reasonForError = (error: unknown): StatusReason => asApiError(error)?.reason ?? '';

/** How many seconds to wait before the next request; undefined when the error does not ask for that. */
export function suggestsClientDelay(error: unknown): number | undefined {
  const api = asApiError(error);
  if (!api?.details) return undefined;
  const seconds = api.details.retryAfterSeconds ?? 0;
  return seconds > 0 || api.reason === 'ServerTimeout' ? seconds : undefined;
}
