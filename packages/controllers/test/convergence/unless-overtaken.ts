import { ApiError } from '@coxswain/apimachinery/errors';

/** Status codes of requests that failed because the object has changed meanwhile or the change is not allowed now. */
const overtaken = new Set([403, 404, 409, 429]);

/** Resolves with undefined when the request failed with one of these codes. */
export async function unlessOvertaken<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && overtaken.has(error.code)) return undefined;
    throw error;
  }
}
