import { dirname, join } from 'node:path';
import type { Clock } from '@coxswain/client';
import { type FileSystem, hasCode, unlessMissing } from './file-system.ts';
import { checkedPayload, type Payload } from './payload.ts';
import { removeTree } from './remove-tree.ts';

interface AtomicWriterOptions {
  readonly files: FileSystem;
  readonly clock: Clock;
  /** Sets owners and modes before the new files are visible. */
  readonly setOwnership?: (() => Promise<void>) | undefined;
}

const dataLink = '..data';
const newDataLink = '..data_tmp';

/**
 * Makes a directory have these files, and no others, all at once: readers see the old files or the new ones, never some of both. Does
 * nothing if their contents are right already. Resolves to whether anything was written.
 *
 * The files are in a hidden directory that is new each time. The symbolic link `..data` points to it, and is what changes atomically;
 * each visible file is a link through `..data`. Names that begin with `..` are reserved for this.
 *
 * An earlier call that was interrupted at any step is completed. Calls for the same directory must not overlap. Rejects with the path
 * that is invalid before anything is changed.
 */
export async function writeAtomically(
  directory: string,
  payload: Payload,
  options: AtomicWriterOptions,
): Promise<boolean> {
  const { files } = options;
  const checked = checkedPayload(payload);
  const old = await unlessMissing(files.readlink(join(directory, dataLink)));
  const isCurrent = old !== undefined && (await hasContents(join(directory, old), checked, files));
  const current = isCurrent ? old : await publish(directory, checked, options);
  await linkFiles(directory, checked, files);
  await removeOthers(directory, new Set([dataLink, current, ...checkedNames(checked)]), files);
  return !isCurrent;
}

/** The first components of all paths: what is visible in the volume. */
const checkedNames = (payload: Payload): string[] => [...payload.keys()].map((path) => path.split('/')[0]!);

/** Writes a new directory and makes `..data` point to it. Returns its name. */
async function publish(directory: string, payload: Payload, options: AtomicWriterOptions): Promise<string> {
  const { files, clock, setOwnership } = options;
  const created = await files.mkdtemp(join(directory, timestampPrefix(clock.now())));
  // Directories of temporary files are private; everybody must get through this one.
  await files.chmod(created, 0o755);
  for (const [path, { data, mode, owner }] of payload) {
    const file = join(created, path);
    await files.mkdir(dirname(file), { recursive: true, mode: 0o777 });
    await files.writeFile(file, data, { mode, flag: 'wx' });
    await files.chmod(file, mode);
    if (owner !== undefined) await files.lchown(file, owner, -1);
  }
  await setOwnership?.();
  const name = created.slice(directory.length + 1);
  await unlessMissing(files.unlink(join(directory, newDataLink)));
  await files.symlink(name, join(directory, newDataLink));
  await files.rename(join(directory, newDataLink), join(directory, dataLink));
  return name;
}

/** As in `..2026_02_01_15_04_05.`. */
const timestampPrefix = (nowMs: number): string =>
  `..${new Date(nowMs).toISOString().slice(0, 19).replace(/[-T:]/g, '_')}.`;

/** Returns whether a directory has exactly these files. Modes and owners are not compared. */
async function hasContents(directory: string, payload: Payload, files: FileSystem): Promise<boolean> {
  const found = await unlessMissing(filesIn(directory, '', files));
  if (!found || found.length !== payload.size) return false;
  for (const path of found) {
    const file = payload.get(path);
    if (!file || !(await files.readFile(join(directory, path))).equals(file.data)) return false;
  }
  return true;
}

async function filesIn(directory: string, prefix: string, files: FileSystem): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await files.readdir(join(directory, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesIn(directory, `${path}/`, files)));
    else found.push(path);
  }
  return found;
}

/** Makes what is visible, except what is there already. */
async function linkFiles(directory: string, payload: Payload, files: FileSystem): Promise<void> {
  const owners = new Map([...payload].map(([path, { owner }]) => [path.split('/')[0]!, owner]));
  for (const [name, owner] of owners) {
    const link = join(directory, name);
    try {
      await files.symlink(join(dataLink, name), link);
    } catch (error) {
      // A directory here is the place of a mount that is nested in this volume.
      if (hasCode(error, 'EEXIST')) continue;
      throw error;
    }
    if (owner !== undefined) await files.lchown(link, owner, -1);
  }
}

/** Removes links to files that no longer exist, and the directories of earlier writes. */
async function removeOthers(directory: string, kept: ReadonlySet<string>, files: FileSystem): Promise<void> {
  for (const entry of await files.readdir(directory, { withFileTypes: true })) {
    if (kept.has(entry.name)) continue;
    // Other directories are places of nested mounts.
    if (entry.isSymbolicLink() || entry.name.startsWith('..')) await removeTree(join(directory, entry.name), files);
  }
}
