import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commands, Mounter } from '@coxswain/linux';
import type { WhiteoutFormat } from '../layers/index.ts';
import type { RootMounter, RootPlace } from './root-mounter.ts';

export interface OverlayKind {
  readonly name: 'overlay' | 'fuse-overlayfs';
  readonly format: WhiteoutFormat;
  /** The type of the file system, or the program that serves it. */
  readonly program: 'overlay' | 'fuse-overlayfs';
  readonly options: readonly string[];
}

/**
 * Joins layers by an overlay. The options of a mount have to fit into a page of memory, so layers are named by short links relative to the
 * directory of the root file system.
 */
export class OverlayMounter implements RootMounter {
  readonly name: OverlayKind['name'];
  readonly format: WhiteoutFormat;
  readonly #kind: OverlayKind;
  readonly #commands: Commands;
  readonly #mounter: Mounter;

  constructor(kind: OverlayKind, commands: Commands, mounter: Mounter) {
    this.name = kind.name;
    this.format = kind.format;
    this.#kind = kind;
    this.#commands = commands;
    this.#mounter = mounter;
  }

  async mount({ directory, layers, isReadOnly }: RootPlace, signal?: AbortSignal): Promise<void> {
    const target = join(directory, 'fs');
    if (await this.#mounter.isMountPoint(target)) return;
    const lower = Array.from({ length: layers }, (_, at) => `lower/${at}`);
    // An overlay that is only read needs two layers at least. An image may have none at all.
    if (isReadOnly || layers === 0) {
      await mkdir(join(directory, 'empty'), { recursive: true });
      lower.push('empty');
      if (lower.length === 1 && isReadOnly) {
        await mkdir(join(directory, 'empty2'), { recursive: true });
        lower.push('empty2');
      }
    }
    const options = [
      `lowerdir=${lower.join(':')}`,
      ...(isReadOnly ? ['ro'] : ['upperdir=upper', 'workdir=work']),
      ...this.#kind.options,
    ];
    const isKernel = this.#kind.program === 'overlay';
    const command = isKernel ? 'mount -t overlay -o "$2" overlay "$3"' : 'fuse-overlayfs -o "$2" "$3"';
    // Newer versions of mount use system calls that bound the length of a single option.
    const script = `cd "$1" && LIBMOUNT_FORCE_MOUNT2=always exec ${command}`;
    const { status, output } = await this.#commands.run(
      ['sh', '-c', script, 'sh', directory, options.join(','), 'fs'],
      { signal },
    );
    if (status !== 0) throw new Error(`cannot mount ${target}: exit status ${status}: ${output.trim()}`);
  }

  async unmount(directory: string): Promise<void> {
    const target = join(directory, 'fs');
    // A process that is still in it must not keep the container from being removed.
    if (await this.#mounter.isMountPoint(target))
      await this.#mounter.unmount(target).catch(() => this.#mounter.unmount(target, { lazy: true }));
  }
}
