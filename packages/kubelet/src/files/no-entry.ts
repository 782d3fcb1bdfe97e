/** Whether a call of the file system failed because there is no such file. */
export const isNoEntry = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Resolves with undefined if there is no such file. */
export async function unlessNoEntry<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNoEntry(error)) return undefined;
    throw error;
  }
}
