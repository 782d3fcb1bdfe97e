import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { hasCode } from '../files/index.ts';

/** Writes a file of a cgroup, which must exist. Rejects with the file and the value in the message. */
export async function writeCgroupFile(path: string, value: string): Promise<void> {
  try {
    const file = await open(path, constants.O_WRONLY | constants.O_TRUNC);
    try {
      await file.write(value);
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new CgroupFileError(`failed to write "${value}" to ${path}`, cause);
  }
}

/** An error of the system at a file of a cgroup, with its code. */
class CgroupFileError extends Error {
  readonly code: unknown;

  constructor(message: string, cause: unknown) {
    super(`${message}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.name = 'CgroupFileError';
    this.code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  }
}

export async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trim();
}

/** The number in a file. `max` is Infinity. Rejects if it holds anything else. */
export async function readNumber(path: string): Promise<number> {
  const text = await readText(path);
  if (text === 'max') return Number.POSITIVE_INFINITY;
  if (!/^-?\d+$/.test(text)) throw new Error(`${path} has no number: "${text}"`);
  return Number(text);
}

/** Lines of `key value`. */
export async function readKeys(path: string): Promise<ReadonlyMap<string, number>> {
  const lines = (await readText(path)).split('\n').map((line) => line.split(' '));
  return new Map(lines.map(([key = '', value]) => [key, Number(value)]));
}

/** The value, or undefined if a file does not exist. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENODEV')) return undefined;
    throw error;
  }
}
