import { readFile } from 'node:fs/promises';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  EEXIST: 'file exists',
  EROFS: 'read-only file system',
  ELOOP: 'too many levels of symbolic links',
};

/** The system's error code (`ENOENT`); undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** An Error with Go's message for a failed file operation: `open /x: no such file or directory`. */
export function goFileError(operation: string, path: string, error: unknown): Error {
  const code = errorCode(error);
  const what = code === undefined ? String(error) : Object.hasOwn(words, code) ? words[code] : code;
  // A directory can be opened; only reading it fails.
  return new Error(`${code === 'EISDIR' ? 'read' : operation} ${path}: ${what}`, { cause: error });
}

/** Returns the text of a file. Rejects with an Error in Go's words. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw goFileError('open', path, error);
  }
}

/**
 * Returns the text of a file; undefined when it does not exist. Rejects with an Error in Go's words when it cannot be
 * read.
 */
export async function readTextIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw goFileError('open', path, error);
  }
}
