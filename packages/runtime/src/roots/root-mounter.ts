import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commands, Mounter } from '@coxswain/linux';
import { overlayWhiteouts, userOverlayWhiteouts, type WhiteoutFormat } from '../layers/index.ts';
import { CopyMounter } from './copy-mounter.ts';
import { OverlayMounter } from './overlay-mounter.ts';

/** A root file system as it is on disk. Paths of layers are absolute. */
export interface RootPlace {
  /** The directory of the root file system, with `lower/0`, `lower/1` …, links to the layers, the highest first. */
  readonly directory: string;
  readonly layers: number;
  readonly isReadOnly: boolean;
  /** Chain ids, the lowest first. */
  readonly chain: readonly string[];
}

/** A way to join layers. */
export interface RootMounter {
  readonly name: 'overlay' | 'fuse-overlayfs' | 'copy';
  /** How layers must mark what they hide. */
  readonly format: WhiteoutFormat;
  /** Joins the layers at `<directory>/fs`. */
  mount(place: RootPlace, signal?: AbortSignal): Promise<void>;
  /** Undoes it, if it was done. Files in `<directory>` are removed by the caller. */
  unmount(directory: string): Promise<void>;
}

/**
 * Returns the best way that works below a directory: overlayfs of the kernel, by root or in a user namespace; fuse-overlayfs; or plain copies
 * of all files.
 */
export async function rootMounterFor(root: string, commands: Commands, mounter: Mounter): Promise<RootMounter> {
  const kernels = [
    new OverlayMounter(
      { name: 'overlay', format: overlayWhiteouts, program: 'overlay', options: [] },
      commands,
      mounter,
    ),
    new OverlayMounter(
      { name: 'overlay', format: userOverlayWhiteouts, program: 'overlay', options: ['userxattr'] },
      commands,
      mounter,
    ),
    new OverlayMounter(
      { name: 'fuse-overlayfs', format: userOverlayWhiteouts, program: 'fuse-overlayfs', options: [] },
      commands,
      mounter,
    ),
  ];
  await mkdir(root, { recursive: true, mode: 0o700 });
  // A crash may have left one that is mounted.
  for (const name of await readdir(root)) {
    if (!name.startsWith(trial)) continue;
    await mounter.unmount(join(root, name, 'fs')).catch(() => {});
    await rm(join(root, name), { recursive: true, force: true }).catch(() => {});
  }
  for (const candidate of kernels) if (await works(candidate, root, mounter)) return candidate;
  return new CopyMounter(commands);
}

const trial = '.try-';

/** Mounts two empty layers. */
async function works(candidate: RootMounter, root: string, mounter: Mounter): Promise<boolean> {
  const directory = await mkdtemp(join(root, trial));
  try {
    for (const path of ['lower/0', 'lower/1', 'upper', 'work', 'fs'])
      await mkdir(join(directory, path), { recursive: true });
    await candidate.mount({ directory, layers: 2, isReadOnly: false, chain: [] });
    return await mounter.isMountPoint(join(directory, 'fs'));
  } catch {
    return false;
  } finally {
    await candidate.unmount(directory).catch(() => {});
    await rm(directory, { recursive: true, force: true }).catch(() => {});
  }
}
