import {
  asApiError,
  hasStatusCause,
  isGone,
  isResourceExpired,
  isTimeout,
  isTooManyRequests,
  suggestsClientDelay,
} from '@coxswain/apimachinery/errors';

/** The resource version is older than the server remembers. */
export const isExpired = (error: unknown): boolean => isResourceExpired(error) || isGone(error);

/** The resource version is one that the server has not come to yet: another replica gave it, or a backup was restored. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (hasStatusCause(error, 'ResourceVersionTooLarge')) return true;
  if (!isTimeout(error)) return false;
  // Servers before 1.18.6 say it in words only.
  const words = 'Too large resource version';
  const api = asApiError(error);
  return (
    api !== undefined && (api.message.includes(words) || api.causes.some((cause) => cause.message?.includes(words)))
  );
}

/** The server is not to blame for the question: it was not reached, is overloaded or unwell. The same question may do later. */
export function isPassing(error: unknown): boolean {
  const api = asApiError(error);
  return api === undefined || isTooManyRequests(error) || api.code >= 500;
}

const longestRetryAfterMs = 60_000;

/** How long the server wants to be left alone; 0 when it does not say. A minute at most. */
export const retryAfterMs = (error: unknown): number =>
  Math.min((suggestsClientDelay(error) ?? 0) * 1000, longestRetryAfterMs);
