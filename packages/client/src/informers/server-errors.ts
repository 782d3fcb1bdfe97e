import {
  asApiError,
  hasStatusCause,
  isGone,
  isResourceExpired,
  isTimeout,
  isTooManyRequests,
  suggestsClientDelay,
} from '@coxswain/apimachinery/errors';

/** The resource version is older than the server's history. */
export const isExpired = (error: unknown): boolean => isResourceExpired(error) || isGone(error);

/** The resource version is newer than the server's: it came from another replica, or a backup was restored. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (hasStatusCause(error, 'ResourceVersionTooLarge')) return true;
  if (!isTimeout(error)) return false;
  // Servers before 1.18.6 have it only in the message.
  const words = 'Too large resource version';
  const api = asApiError(error);
  return (
    api !== undefined && (api.message.includes(words) || api.causes.some((cause) => cause.message?.includes(words)))
  );
}

/** Whether the failure is transient, so that the same request may succeed later: no response, 429 or 5xx. */
export function isPassing(error: unknown): boolean {
  const api = asApiError(error);
  return api === undefined || isTooManyRequests(error) || api.code >= 500;
}

const longestRetryAfterMs = 60_000;

/** The response's Retry-After in milliseconds, at most a minute; 0 when there is none. */
export const retryAfterMs = (error: unknown): number =>
  Math.min((suggestsClientDelay(error) ?? 0) * 1000, longestRetryAfterMs);
