import type { Stats } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { unlessNoEntry } from '../files/no-entry.ts';
import { uncompressedSize } from './compress-log.ts';
import { CompressedLog, type LogSource, PlainLog } from './log-source.ts';
import { openLogFile } from './open-log-file.ts';
import { compressedSuffix, rotatedLogs, rotationOf } from './rotated-logs.ts';
import { tailStart } from './tail-start.ts';

/** A file of a log that is read. */
interface LogFile {
  readonly source: LogSource;
  /** Undefined for a compressed file. */
  readonly handle: FileHandle | undefined;
  /** When the file was rotated. Undefined for a file that was not when it was opened. */
  readonly rotation: string | undefined;
  /** The latest rotation when the file was opened; empty if there was none. */
  readonly lastRotation: string;
}

/**
 * A log that is read across rotations: each file to its end, then the one that follows. Files that were rotated, and perhaps compressed,
 * while the reader was behind are read, too, unless they were removed.
 *
 * Differs from upstream: its followers open the current file again for each rotation that they notice. So they miss files, or read one
 * twice, when two rotations happen while the client does not read.
 */
export class FollowedLog {
  readonly #path: string;
  readonly #root: string;
  #current: LogFile;
  #next: LogFile | undefined;

  private constructor(path: string, root: string, current: LogFile) {
    this.#path = path;
    this.#root = root;
    this.#current = current;
  }

  /** Opens the current file of a log at its beginning, or so many lines before its end. The log must be below `root`. */
  static async open(
    path: string,
    root: string,
    tailLines: number | undefined,
    signal?: AbortSignal,
  ): Promise<FollowedLog> {
    const handle = await openLogFile(path, root);
    try {
      const start = tailLines === undefined ? 0 : await tailStart(handle, tailLines, signal);
      return new FollowedLog(path, root, await currentFile(handle, path, start));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Reads from the file that has come up. Resolves with 0 at its end. */
  async read(into: Buffer, offset: number): Promise<number> {
    return await this.#current.source.read(into, offset);
  }

  /**
   * Whether another file follows. Then the runtime writes no more to the one that has come up, so it must be read to its end once more
   * before `advance`. `isFinal`: the container has ended, so that also an empty file means that all was written.
   */
  async hasNext(isFinal: boolean): Promise<boolean> {
    this.#next ??= await this.#openNext(isFinal);
    return this.#next !== undefined;
  }

  /** Continues with the file that `hasNext` has found. */
  async advance(): Promise<void> {
    if (!this.#next) return;
    await this.#current.source.close();
    this.#current = this.#next;
    this.#next = undefined;
  }

  async close(): Promise<void> {
    await this.#current.source.close();
    await this.#next?.source.close();
  }

  async #openNext(isFinal: boolean): Promise<LogFile | undefined> {
    const path = this.#path;
    const latest = await unlessNoEntry(lstat(path));
    const mine = await this.#current.handle?.stat();
    if (latest && mine && latest.ino === mine.ino && latest.dev === mine.dev) return undefined;
    const rotated = await rotatedFiles(path);
    const rotation = this.#current.rotation ?? (await rotationOfFile(this.#current, rotated));
    const successor = rotated.find((each) => each.rotation > rotation);
    if (successor) return await unlessNoEntry(this.#openRotated(successor));
    // The runtime may still write to the renamed file until it has begun with the new one.
    if (!latest || (latest.size === 0 && !isFinal)) return undefined;
    const handle = await unlessNoEntry(openLogFile(path, this.#root));
    return handle && (await currentFile(handle, path, 0));
  }

  async #openRotated({ path, rotation }: RotatedFile): Promise<LogFile> {
    const handle = await openLogFile(path, this.#root);
    if (!path.endsWith(compressedSuffix)) {
      return { source: new PlainLog(handle, 0), handle, rotation, lastRotation: rotation };
    }
    return { source: new CompressedLog(handle), handle: undefined, rotation, lastRotation: rotation };
  }
}

interface RotatedFile {
  readonly path: string;
  readonly rotation: string;
}

/** Oldest first. */
async function rotatedFiles(logPath: string): Promise<RotatedFile[]> {
  const { inUse } = await rotatedLogs(logPath);
  return inUse.flatMap((path) => {
    const rotation = rotationOf(path);
    return rotation === undefined ? [] : [{ path, rotation }];
  });
}

async function currentFile(handle: FileHandle, path: string, start: number): Promise<LogFile> {
  const lastRotation = (await rotatedFiles(path)).at(-1)?.rotation ?? '';
  return { source: new PlainLog(handle, start), handle, rotation: undefined, lastRotation };
}

/** Returns when a file was rotated that was not yet when it was opened. If the file was removed: a time before all later rotations. */
async function rotationOfFile({ handle, lastRotation }: LogFile, rotated: readonly RotatedFile[]): Promise<string> {
  const first = rotated.find(({ rotation }) => rotation > lastRotation);
  return first && handle && (await isSameLog(first.path, await handle.stat())) ? first.rotation : lastRotation;
}

/** Whether a rotated file is the one with this inode, or was compressed from it. */
async function isSameLog(path: string, { ino, dev, size }: Stats): Promise<boolean> {
  if (path.endsWith(compressedSuffix)) return (await unlessNoEntry(uncompressedSize(path))) === size % 2 ** 32;
  const found = await unlessNoEntry(lstat(path));
  return found?.ino === ino && found.dev === dev;
}
