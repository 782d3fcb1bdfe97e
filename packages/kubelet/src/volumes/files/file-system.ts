import type * as promises from 'node:fs/promises';

/** The functions of `node:fs/promises` that volumes are made and removed with. A parameter, so that tests can make any of them fail. */
export type FileSystem = Pick<
  typeof promises,
  | 'chmod'
  | 'chown'
  | 'lchown'
  | 'lstat'
  | 'mkdir'
  | 'mkdtemp'
  | 'open'
  | 'opendir'
  | 'readdir'
  | 'readFile'
  | 'readlink'
  | 'realpath'
  | 'rename'
  | 'rmdir'
  | 'stat'
  | 'statfs'
  | 'symlink'
  | 'unlink'
  | 'writeFile'
>;

/** True if the error has this code, such as `ENOENT`. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);

/** Resolves with undefined if a file does not exist. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
