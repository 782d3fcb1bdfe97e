import { ApiError } from '@coxswain/apimachinery/errors';

/** What is no more as it was when somebody decided to change it, or may not be changed now: they let it be. */
const overtaken = new Set([403, 404, 409, 429]);

/** Answers undefined when the work came too late. */
export async function unlessOvertaken<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && overtaken.has(error.code)) return undefined;
    throw error;
  }
}
