import type { Stats } from 'node:fs';
import { lstat, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Commands, openInside, pathOfDescriptor } from '@coxswain/linux';
import { type LayerRecord, overlayWhiteouts } from '../layers/index.ts';
import type { RootMounter, RootPlace } from './root-mounter.ts';

/** Copies all files of all layers, where nothing else works. Slow, and every container takes the space of its image. */
export class CopyMounter implements RootMounter {
  readonly name = 'copy';
  readonly format = overlayWhiteouts;
  readonly #commands: Commands;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  async mount({ directory, layers }: RootPlace, signal?: AbortSignal): Promise<void> {
    const target = join(directory, 'fs');
    const done = join(directory, 'copied');
    const isDone = await lstat(done).then(
      () => true,
      () => false,
    );
    if (isDone) return;
    // One that was interrupted begins again.
    await this.#run(['sh', '-c', 'rm -rf -- "$1" && mkdir -- "$1"', 'sh', target], signal);
    for (let at = layers - 1; at >= 0; at--) {
      const files = await readlink(join(directory, 'lower', String(at)));
      await this.#copy(join(directory, 'lower', files), target, directory, signal);
    }
    await writeFile(done, '');
  }

  async unmount(): Promise<void> {}

  async #copy(files: string, target: string, scratch: string, signal: AbortSignal | undefined): Promise<void> {
    const record = JSON.parse(await readFile(join(dirname(files), 'layer.json'), 'utf8')) as LayerRecord;
    const [whiteouts, opaque] = [decoded(record.whiteouts), decoded(record.opaqueDirectories)];
    for (const path of [...whiteouts, ...opaque]) await this.#remove(target, path, signal);
    await removeConflicts(files, target, signal);
    const script = `tar --create --file="$3" --directory="$1" --xattrs --xattrs-include='*' --xattrs-exclude='trusted.*' . &&
      tar --extract --file="$3" --directory="$2" --same-owner --same-permissions --numeric-owner --delay-directory-restore \\
        --xattrs --xattrs-include='*' --absolute-names && rm -f -- "$3"`;
    await this.#run(['sh', '-c', script, 'sh', files, target, join(scratch, 'layer.tar')], signal);
    // The devices that stand for what is hidden were copied, too.
    for (const path of whiteouts)
      await this.#remove(target, path, signal, (stats) => stats.isCharacterDevice() && stats.rdev === 0);
  }

  /** Removes what is at a path, or everything in the root, without following a symbolic link. */
  async #remove(
    target: string,
    path: string,
    signal: AbortSignal | undefined,
    condition: (stats: Stats) => boolean = () => true,
  ): Promise<void> {
    if (path === '') return await this.#run(['find', target, '-mindepth', '1', '-delete'], signal);
    const parent = await openInside(target, dirname(path)).catch(() => undefined);
    if (!parent) return;
    try {
      const place = join(pathOfDescriptor(parent), basename(path));
      const stats = await lstat(place).catch(() => undefined);
      if (stats && condition(stats)) await this.#run(['rm', '-rf', '--', place], signal);
    } finally {
      await parent.close();
    }
  }

  async #run(argv: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const { status, output } = await this.#commands.run(argv, { signal, timeoutMs: 3_600_000 });
    if (status !== 0) throw new Error(`copying layers: exit status ${status}: ${output.slice(0, 500)}`);
  }
}

const decoded = (paths: readonly string[]): string[] =>
  paths.map((path) => Buffer.from(path, 'base64').toString('utf8'));

/**
 * Removes in `target` what is a directory where `files` has something else, and the other way round, from above to below: below a directory
 * that both have, no path leads through a symbolic link.
 */
async function removeConflicts(files: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  const waiting = ['.'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    signal?.throwIfAborted();
    for (const entry of await readdir(join(files, path), { withFileTypes: true })) {
      const inside = join(path, entry.name);
      const old = await lstat(join(target, inside)).catch(() => undefined);
      if (!old) continue;
      if (entry.isDirectory() && old.isDirectory()) waiting.push(inside);
      else if (entry.isDirectory() || old.isDirectory()) await rm(join(target, inside), { recursive: true });
    }
  }
}
