import { rm } from 'node:fs/promises';
import { command } from './command.ts';

export interface DiskImageOptions {
  /** The directory whose content the image has. */
  readonly from: string;
  /** The image's file, which is replaced. */
  readonly to: string;
  /** Room for files that are written later. */
  readonly spareMiB: number;
}

/** Makes an image of an ext4 file system from a directory. Nothing is mounted for it. */
export async function makeDiskImage({ from, to, spareMiB }: DiskImageOptions, signal: AbortSignal): Promise<void> {
  const usedKiB = Number.parseInt(await command('du', ['-sk', from], signal), 10);
  // A quarter more for inodes and blocks that are not full.
  const sizeKiB = Math.ceil(usedKiB * 1.25) + spareMiB * 1024;
  await rm(to, { force: true });
  // Without a journal: images are read, or thrown away after the guest's end.
  const options = ['-q', '-t', 'ext4', '-O', '^has_journal', '-m', '0', '-i', '4096', '-E', 'lazy_itable_init=1'];
  await command('mke2fs', [...options, '-d', from, to, `${sizeKiB}k`], signal);
}
