import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { hasCode } from './error-code.ts';
import { pathInside, pathOfHandle } from './open-inside.ts';

/** Each level has a descriptor open. Paths of this depth are longer than the kernel takes. */
const maxDepth = 2048;

/** How many entries of a directory are looked at and visited together. Few, because all file access of the process shares four threads. */
const batchSize = 16;

export interface TreeEntry {
  /** Leads to the entry itself, whatever happens to the directories above. If its last component is replaced, it leads to the replacement. */
  readonly path: string;
  /** Of the entry itself if it is a symbolic link. */
  readonly stats: Stats;
  /** Of a directory: open while it is visited. */
  readonly handle?: FileHandle;
}

export interface WalkOptions {
  readonly signal?: AbortSignal | undefined;
  /** Leaves out other file systems that are mounted below. */
  readonly sameDevice?: boolean;
}

/**
 * Calls `visit` for everything below a directory, and for the directory itself: a directory after its entries. No symbolic link is
 * followed, and directories that are renamed or replaced meanwhile do not lead elsewhere. Entries that vanish are left out. The event
 * loop is never blocked: every access is a call of its own in the thread pool.
 */
export async function walkTree(
  root: string,
  visit: (entry: TreeEntry) => Promise<void> | void,
  options: WalkOptions = {},
): Promise<void> {
  const stats = await lstat(root);
  if (stats.isDirectory()) await visitDirectory(root, { ...options, visit, device: stats.dev }, 0);
  else await visit({ path: root, stats });
}

interface Walk extends WalkOptions {
  readonly visit: (entry: TreeEntry) => Promise<void> | void;
  readonly device: number;
}

const openToRead = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);

async function visitDirectory(path: string, walk: Walk, depth: number): Promise<void> {
  if (depth > maxDepth) throw new Error(`directories are nested more than ${maxDepth} levels deep`);
  const handle = await openToRead(path);
  try {
    // Of what is open: another directory may have come in place of the one that was seen.
    const stats = await handle.stat();
    await visitEntries(handle, walk, depth);
    await walk.visit({ path: pathOfHandle(handle), stats, handle });
  } finally {
    await handle.close();
  }
}

async function visitEntries(directory: FileHandle, walk: Walk, depth: number): Promise<void> {
  const { signal, sameDevice = false, device, visit } = walk;
  const directories: string[] = [];
  const visitAll = async (names: readonly string[]): Promise<void> => {
    signal?.throwIfAborted();
    const entries = (await allOf(names.map((name) => entryOf(directory, name)))).filter(
      (entry): entry is TreeEntry => entry !== undefined && !(sameDevice && entry.stats.dev !== device),
    );
    for (const { path, stats } of entries) if (stats.isDirectory()) directories.push(path);
    const others = entries.filter(({ stats }) => !stats.isDirectory());
    await allOf(others.map((entry) => unlessVanished(async () => visit(entry))));
  };
  const names: string[] = [];
  for await (const { name } of await opendir(pathOfHandle(directory), { bufferSize: 256 })) {
    names.push(name);
    if (names.length === batchSize) await visitAll(names.splice(0));
  }
  await visitAll(names);
  for (const path of directories) {
    signal?.throwIfAborted();
    await unlessVanished(() => visitDirectory(path, walk, depth + 1));
  }
}

/** Waits for all, even if one fails: the number of a descriptor that is closed too early may come to stand for another file. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}

async function entryOf(directory: FileHandle, name: string): Promise<TreeEntry | undefined> {
  const path = pathInside(directory, name);
  return await unlessVanished(async () => ({ path, stats: await lstat(path) }));
}

/** ENOTDIR and ELOOP: a directory has been replaced by something else. */
async function unlessVanished<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}
