import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unlessNoEntry } from '../files/no-entry.ts';

export const compressedSuffix = '.gz';
export const temporarySuffix = '.tmp';

/** Paths of the rotated files of a log. */
export interface RotatedLogs {
  /** Oldest first. */
  readonly inUse: readonly string[];
  /** What a rotation left that was interrupted: unfinished files, and files of which there is a compressed one. */
  readonly unused: readonly string[];
}

/** Lists the rotated files of a log: those whose names begin with that of the log and a dot. None if there is no such directory. */
export async function rotatedLogs(logPath: string): Promise<RotatedLogs> {
  const directory = dirname(logPath);
  const prefix = `${basename(logPath)}.`;
  const names = ((await unlessNoEntry(readdir(directory))) ?? []).filter((name) => name.startsWith(prefix));
  const all = new Set(names);
  const isInUse = (name: string): boolean =>
    !name.endsWith(temporarySuffix) && (name.endsWith(compressedSuffix) || !all.has(name + compressedSuffix));
  const paths = (list: readonly string[]): string[] => list.toSorted().map((name) => join(directory, name));
  return { inUse: paths(names.filter(isInUse)), unused: paths(names.filter((name) => !isInUse(name))) };
}

/**
 * Returns the path to which a log is renamed when it is rotated.
 *
 * Differs from upstream: the time is UTC, so that the order of names is that of time also when clocks are put back.
 */
export function rotatedLogPath(logPath: string, atMs: number): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().split('T');
  return `${logPath}.${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`;
}

const rotatedName = /\.(\d{8}-\d{6})(?:\.gz)?$/;

/** Returns the time of the rotation as in the name of the file; undefined if the file has no name that a rotation gives. */
export const rotationOf = (path: string): string | undefined => rotatedName.exec(path)?.[1];
