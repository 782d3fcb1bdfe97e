import { lstat, statfs } from 'node:fs/promises';
import { walkTree } from './walk-tree.ts';

/** A block of `st_blocks`, on every file system. */
const blockBytes = 512;

/** Beyond these, each name of a file with several is counted, so that the set stays bounded. */
const maxHardLinks = 1_000_000;

export interface DiskUsage {
  /** Space that is allocated, as `du` counts it. */
  readonly bytes: number;
  readonly inodes: number;
}

/**
 * Counts what a directory and everything below it takes on its file system. A file with several names in the tree is counted once. Other
 * file systems that are mounted below are left out. No symbolic link is followed.
 */
export async function diskUsage(directory: string, signal?: AbortSignal): Promise<DiskUsage> {
  let bytes = 0;
  let inodes = 0;
  const linked = new Set<bigint>();
  await walkTree(
    directory,
    async ({ path, stats }) => {
      if (stats.nlink > 1 && !stats.isDirectory() && linked.size < maxHardLinks) {
        // Numbers of inodes may be larger than a number holds exactly.
        const { ino } = await lstat(path, { bigint: true });
        if (linked.has(ino)) return;
        linked.add(ino);
      }
      bytes += stats.blocks * blockBytes;
      inodes++;
    },
    { signal, sameDevice: true },
  );
  return { bytes, inodes };
}

export interface FileSystemUsage {
  readonly capacityBytes: number;
  /** For processes without privileges. */
  readonly availableBytes: number;
  readonly usedBytes: number;
  /** 0 if the file system has no fixed number of inodes. */
  readonly inodes: number;
  readonly inodesFree: number;
  readonly inodesUsed: number;
}

/** Reads how full the file system of a path is. */
export async function fileSystemUsage(path: string): Promise<FileSystemUsage> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
  return {
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodes: files,
    inodesFree: ffree,
    inodesUsed: files - ffree,
  };
}
