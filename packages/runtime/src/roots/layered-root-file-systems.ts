import { chmod, chown, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Random, systemRandom } from '@coxswain/apimachinery/random';
import { type Commands, diskUsage } from '@coxswain/linux';
import type { ImageStore } from '../images/image-store.ts';
import type { RootFileSystem, RootFileSystems, WritableLayerUsage } from '../images/root-file-systems.ts';
import { chainIds, type LayerStore } from '../layers/index.ts';
import type { RootMounter } from './root-mounter.ts';

export interface LayeredRootFileSystemsOptions {
  /** The directory of the image store. */
  readonly root: string;
  readonly images: ImageStore;
  readonly layers: LayerStore;
  readonly mounter: RootMounter;
  readonly commands: Commands;
  readonly random?: Random;
  /** Called when one was removed, whose layers may be useless now. */
  onRemoved(imageId: string): Promise<void>;
}

/** `roots/<id>/root.json` */
interface RootRecord {
  readonly imageId: string;
  readonly chain: readonly string[];
  readonly isReadOnly: boolean;
}

const unfinished = '.new-';
const removed = '.removed-';

/**
 * Root file systems in `roots/<id>`: `root.json`, `lower/` with links to the layers, `upper` with the changes, and `fs`, where it is mounted.
 * A directory gets its name when it is complete, and only then is something mounted; it loses its name after that was unmounted.
 */
export class LayeredRootFileSystems implements RootFileSystems {
  readonly #options: LayeredRootFileSystemsOptions;
  readonly #directory: string;
  readonly #random: Random;
  readonly #records = new Map<string, RootRecord>();
  /** Allow the layers to be removed. */
  readonly #releases = new Map<string, () => void>();
  /** Work on the same id is done in order. */
  readonly #last = new Map<string, Promise<unknown>>();

  private constructor(options: LayeredRootFileSystemsOptions) {
    this.#options = options;
    this.#directory = join(options.root, 'roots');
    this.#random = options.random ?? systemRandom;
  }

  /** Finds what exists, and removes what a crash left half made or half removed. */
  static async open(options: LayeredRootFileSystemsOptions): Promise<LayeredRootFileSystems> {
    const roots = new LayeredRootFileSystems(options);
    await mkdir(roots.#directory, { recursive: true, mode: 0o700 });
    for (const name of await readdir(roots.#directory)) {
      const record = name.startsWith('.') ? undefined : await recordIn(join(roots.#directory, name));
      if (record) roots.#know(name, record);
      else await roots.#destroy(join(roots.#directory, name)).catch(() => {});
    }
    return roots;
  }

  make(id: string, imageId: string, signal?: AbortSignal): Promise<RootFileSystem> {
    return this.#inOrder(id, () => this.#make(id, imageId, false, signal));
  }

  makeReadOnly(id: string, imageId: string, signal?: AbortSignal): Promise<RootFileSystem> {
    return this.#inOrder(id, () => this.#make(id, imageId, true, signal));
  }

  remove(id: string): Promise<void> {
    return this.#inOrder(id, async () => {
      const record = this.#records.get(id);
      if (!record) return;
      const { mounter, onRemoved } = this.#options;
      await mounter.unmount(join(this.#directory, id));
      const aside = join(this.#directory, `${removed}${this.#random.uuid()}`);
      await rename(join(this.#directory, id), aside);
      this.#records.delete(id);
      await this.#destroy(aside);
      this.#releases.get(id)?.();
      this.#releases.delete(id);
      await onRemoved(record.imageId);
    });
  }

  async list(): Promise<readonly string[]> {
    return [...this.#records.keys()];
  }

  /** Ids of the images that are used. */
  imagesInUse(): ReadonlySet<string> {
    return new Set(Array.from(this.#records.values(), ({ imageId }) => imageId));
  }

  async usage(id: string): Promise<WritableLayerUsage> {
    const record = this.#records.get(id);
    if (!record) throw new Error(`there is no root file system ${id}`);
    if (record.isReadOnly) return { usedBytes: 0, inodesUsed: 0 };
    const changes = this.#options.mounter.name === 'copy' ? 'fs' : 'upper';
    const { bytes, inodes } = await diskUsage(join(this.#directory, id, changes));
    return { usedBytes: bytes, inodesUsed: inodes };
  }

  async #make(
    id: string,
    imageId: string,
    isReadOnly: boolean,
    signal: AbortSignal | undefined,
  ): Promise<RootFileSystem> {
    if (!/^[A-Za-z0-9][\w.-]{0,200}$/.test(id))
      throw new Error(`invalid id ${JSON.stringify(id)} of a root file system`);
    const { mounter } = this.#options;
    const record = this.#records.get(id) ?? (await this.#prepare(id, imageId, isReadOnly, signal));
    const directory = join(this.#directory, id);
    const { chain } = record;
    await mounter.mount({ directory, layers: chain.length, isReadOnly: record.isReadOnly, chain }, signal);
    return { path: join(directory, 'fs') };
  }

  async #prepare(
    id: string,
    imageId: string,
    isReadOnly: boolean,
    signal: AbortSignal | undefined,
  ): Promise<RootRecord> {
    const { images, layers } = this.#options;
    const image = await images.find(imageId);
    if (!image) throw new Error(`image ${JSON.stringify(imageId)} not found`);
    const chain = chainIds(image.configuration.diffIds);
    const release = layers.hold(chain);
    const place = join(this.#directory, `${unfinished}${this.#random.uuid()}`);
    try {
      for (const layer of chain)
        if (!layers.find(layer)) throw new Error(`the layer ${layer} of the image ${image.id} is missing`);
      signal?.throwIfAborted();
      await mkdir(join(place, 'lower'), { recursive: true, mode: 0o755 });
      for (const [at, layer] of [...chain].reverse().entries()) {
        await symlink(
          relative(join(this.#directory, id, 'lower'), layers.filesOf(layer)),
          join(place, 'lower', String(at)),
        );
      }
      for (const name of ['upper', 'work', 'fs']) await mkdir(join(place, name), { mode: 0o755 });
      await this.#copyRootAttributes(place, chain);
      const record: RootRecord = { imageId: image.id, chain, isReadOnly };
      await writeFile(join(place, 'root.json'), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
      await rename(place, join(this.#directory, id));
      this.#records.set(id, record);
      this.#releases.set(id, release);
      return record;
    } catch (error) {
      release();
      await this.#destroy(place).catch(() => {});
      throw error;
    }
  }

  /** The root of an overlay has the attributes of its highest layer, which is `upper`. */
  async #copyRootAttributes(place: string, chain: readonly string[]): Promise<void> {
    const highest = chain.at(-1);
    if (highest === undefined) return;
    const { mode, uid, gid } = await stat(this.#options.layers.filesOf(highest));
    const upper = join(place, 'upper');
    await chown(upper, uid, gid);
    await chmod(upper, mode & 0o7777);
  }

  #know(id: string, record: RootRecord): void {
    this.#records.set(id, record);
    this.#releases.set(id, this.#options.layers.hold(record.chain));
  }

  async #destroy(directory: string): Promise<void> {
    await this.#options.mounter.unmount(directory);
    await this.#run(['rm', '-rf', '--one-file-system', '--', directory]);
  }

  async #run(argv: readonly string[]): Promise<void> {
    const { status, output } = await this.#options.commands.run(argv, { timeoutMs: 3_600_000 });
    if (status !== 0) throw new Error(`${argv[0]}: exit status ${status}: ${output.slice(0, 500)}`);
  }

  #inOrder<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(id) ?? Promise.resolve()).then(work);
    const settled = turn.then(
      () => {},
      () => {},
    );
    this.#last.set(id, settled);
    void settled.then(() => {
      if (this.#last.get(id) === settled) this.#last.delete(id);
    });
    return turn;
  }
}

/** Returns undefined if somebody has removed the record: what is left cannot be used. */
async function recordIn(directory: string): Promise<RootRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, 'root.json'), 'utf8')) as RootRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
