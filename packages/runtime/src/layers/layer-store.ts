import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Random, systemRandom } from '@coxswain/apimachinery/random';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { type CommandResult, HelperCommands } from '@coxswain/linux';
import { writeFileAtomically } from '../content/index.ts';
import { ArchiveError } from '../tar/index.ts';
import { Limiter, SharedTasks } from '../tasks/index.ts';
import { decompress } from './decompress.ts';
import { copyAttributes } from './implied-directories.ts';
import { defaultLayerLimits, type LayerLimits } from './layer-limits.ts';
import type { LayerRecord } from './layer-record.ts';
import { type UnpackedLayer, unpackLayer } from './unpack-layer.ts';
import { type LowerLayer, removeUselessWhiteouts } from './useless-whiteouts.ts';
import { overlayWhiteouts, type WhiteoutFormat } from './whiteout-format.ts';
import { zstdProgram } from './zstd.ts';

export interface LayerStoreOptions {
  readonly limits?: Partial<LayerLimits>;
  readonly format?: WhiteoutFormat;
  readonly random?: Random;
  readonly loop?: EventLoop;
  /** How many layers are unpacked at once. Default 16: most of them wait for their download. */
  readonly maxUnpacking?: number;
  /** Where the kernel's files are. */
  readonly procRoot?: string;
}

export interface NewLayer {
  readonly chainId: string;
  readonly diffId: string;
  readonly digest: string;
  readonly compressedBytes: number;
  /** The layers below, the lowest first. They may still be being unpacked. */
  readonly below: readonly string[];
  open(): Promise<LayerContent>;
}

/** The archive of a layer, compressed or not. */
export interface LayerContent {
  /** The bytes, perhaps as they arrive. They end only if all of them were what was expected. */
  read(signal: AbortSignal): AsyncIterable<Buffer>;
  /** Waits until all bytes were verified. Resolves to whether `read` may have given others before. */
  verified(signal: AbortSignal): Promise<boolean>;
  release(): Promise<void>;
}

const unfinished = '.new-';
const removed = '.removed-';

/**
 * Unpacked layers, each once, however many images have it: `layers/<hex of the chain id>/fs`. A layer is unpacked in a directory whose name
 * begins with a dot, and gets its name when it is whole. What a crash left is removed by `open`.
 */
export class LayerStore {
  readonly limits: LayerLimits;
  readonly format: WhiteoutFormat;
  readonly #directory: string;
  readonly #random: Random;
  readonly #loop: EventLoop | undefined;
  readonly #bootId: string;
  readonly #commands: HelperCommands;
  readonly #unpacking: Limiter;
  readonly #layers: Map<string, LayerRecord>;
  readonly #tasks = new SharedTasks<LayerRecord>();
  /** How often each layer is needed by work that no image records yet. */
  readonly #held = new Map<string, number>();

  private constructor(directory: string, bootId: string, layers: Map<string, LayerRecord>, options: LayerStoreOptions) {
    const { limits, format = overlayWhiteouts, random = systemRandom, loop, maxUnpacking = 16 } = options;
    this.#directory = directory;
    this.#bootId = bootId;
    this.#layers = layers;
    this.limits = { ...defaultLayerLimits, ...limits };
    this.format = format;
    this.#random = random;
    this.#loop = loop;
    this.#unpacking = new Limiter(maxUnpacking);
    // Each layer that is unpacked occupies one shell, or two; the others are for commands that end at once.
    this.#commands = new HelperCommands({ maxShells: 2 * maxUnpacking + 4 });
  }

  static async open(root: string, options: LayerStoreOptions = {}): Promise<LayerStore> {
    const directory = join(root, 'layers');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const bootId = (await readFile(join(options.procRoot ?? '/proc', 'sys/kernel/random/boot_id'), 'utf8')).trim();
    const { opaqueAttribute } = options.format ?? overlayWhiteouts;
    const layers = new Map<string, LayerRecord>();
    const broken: string[] = [];
    for (const name of await readdir(directory)) {
      const record = await readRecord(join(directory, name)).catch(() => undefined);
      const isLost = record && !record.isOnDisk && record.bootId !== bootId;
      // Layers that were unpacked for another way to join them are unpacked again.
      const isUsable = record?.opaqueAttribute === opaqueAttribute;
      if (record && !isLost && isUsable && record.chainId === `sha256:${name}`) layers.set(record.chainId, record);
      else broken.push(name);
    }
    const store = new LayerStore(directory, bootId, layers, options);
    // Layers above one that was lost are useless.
    for (const { chainId } of [...layers.values()]) {
      if (!store.#hasAllBelow(chainId)) {
        layers.delete(chainId);
        broken.push(chainId.slice('sha256:'.length));
      }
    }
    // What cannot be removed is not in the way, and is tried again by the next start.
    for (const name of broken) await store.#remove(join(directory, name)).catch(() => {});
    return store;
  }

  /** The layer if it is whole. */
  find(chainId: string): LayerRecord | undefined {
    return this.#layers.get(chainId);
  }

  list(): readonly LayerRecord[] {
    return [...this.#layers.values()];
  }

  /** The directory with the files of a layer. */
  filesOf(chainId: string): string {
    return join(this.#pathOf(chainId), 'fs');
  }

  /** Keeps layers from being removed, whether they exist yet or not, until the returned function is called. */
  hold(chainIds: readonly string[]): () => void {
    for (const id of chainIds) this.#held.set(id, (this.#held.get(id) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const id of chainIds) {
        const count = (this.#held.get(id) ?? 1) - 1;
        if (count === 0) this.#held.delete(id);
        else this.#held.set(id, count);
      }
    };
  }

  /** Unpacks a layer unless it is there. The caller holds it and those below it. Joins if somebody else is unpacking it. */
  async add(layer: NewLayer, signal?: AbortSignal): Promise<LayerRecord> {
    const known = this.#layers.get(layer.chainId);
    if (known) return known;
    return await this.#tasks.run(layer.chainId, (stop) => this.#unpack(layer, stop), signal);
  }

  /** Removes the layers that are not among these, and not held. */
  async keepOnly(chainIds: ReadonlySet<string>): Promise<void> {
    const unused = [...this.#layers.keys()].filter((id) => !chainIds.has(id) && !this.#held.has(id));
    for (const id of unused) this.#layers.delete(id);
    for (const id of unused) await this.#remove(this.#pathOf(id));
  }

  /** Writes everything to the disk, and notes that in the records of the layers that were not. */
  async flush(signal?: AbortSignal): Promise<void> {
    const layers = this.list().filter(({ isOnDisk }) => !isOnDisk);
    if (layers.length === 0) return;
    await this.#run(['sync', '--file-system', this.#directory], signal);
    for (const layer of layers) {
      // It may have been removed meanwhile.
      if (this.#layers.get(layer.chainId) !== layer) continue;
      const settled = { ...layer, isOnDisk: true };
      this.#layers.set(layer.chainId, settled);
      await writeRecord(this.#pathOf(layer.chainId), settled).catch((error) => {
        if (this.#layers.has(layer.chainId)) throw error;
      });
    }
  }

  /** Decompresses an archive of images, however it is compressed. */
  async *decompress(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    const scratch = join(this.#directory, `${unfinished}${this.#random.uuid()}`);
    await mkdir(scratch, { mode: 0o700 });
    try {
      yield* decompress(source, (compressed) => zstdProgram(compressed, { commands: this.#commands, scratch }));
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  close(): void {
    this.#commands.close();
  }

  async #unpack(layer: NewLayer, signal: AbortSignal): Promise<LayerRecord> {
    const { chainId, diffId, digest, compressedBytes, below } = layer;
    const place = join(this.#directory, `${unfinished}${this.#random.uuid()}`);
    try {
      const target = join(place, 'fs');
      const unpacked = await this.#unpackVerified(layer, place, signal);
      await this.#untilBelow(below, signal);
      const lower = [...below].reverse().map((id) => this.filesOf(id));
      await copyAttributes(unpacked.impliedDirectories, target, lower, signal);
      const whiteouts = await removeUselessWhiteouts(unpacked.whiteouts, target, this.#lowerLayers(below), signal);
      const encoded = (paths: readonly string[]) => paths.map((path) => Buffer.from(path, 'latin1').toString('base64'));
      const record: LayerRecord = {
        chainId,
        parent: below.at(-1) ?? '',
        diffId,
        digest,
        compressedBytes,
        bytes: unpacked.bytes,
        diskBytes: unpacked.diskBytes,
        inodes: unpacked.inodes,
        whiteouts: encoded(whiteouts),
        opaqueDirectories: encoded(unpacked.opaqueDirectories),
        opaqueAttribute: this.format.opaqueAttribute,
        bootId: this.#bootId,
        isOnDisk: false,
      };
      await writeFile(join(place, 'layer.json'), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
      signal.throwIfAborted();
      await rename(place, this.#pathOf(chainId));
      this.#layers.set(chainId, record);
      return record;
    } catch (error) {
      await this.#remove(place).catch(() => {});
      throw error;
    }
  }

  /**
   * Unpacks a layer while it arrives. If it turns out to be damaged, the download says whether the registry is to blame, or a part that an
   * earlier download has left.
   */
  async #unpackVerified({ open, diffId }: NewLayer, place: string, signal: AbortSignal): Promise<UnpackedLayer> {
    const target = join(place, 'fs');
    const content = await open();
    const unpack = async (): Promise<UnpackedLayer> => {
      const scratch = join(place, 'pipes');
      await mkdir(scratch, { recursive: true, mode: 0o700 });
      const { limits, format } = this;
      const options = { commands: this.#commands, limits, format, target, scratch, loop: this.#loop, signal };
      const unpacked = await unpackLayer(content.read(signal), options);
      await rm(scratch, { recursive: true });
      if (unpacked.diffId === diffId) return unpacked;
      throw new ArchiveError(`wrong diff id ${unpacked.diffId} of a layer, expected ${diffId}`);
    };
    try {
      try {
        return await this.#unpacking.run(unpack, signal);
      } catch (error) {
        if (!(error instanceof ArchiveError) || !(await content.verified(signal))) throw error;
        await this.#remove(place);
        return await this.#unpacking.run(unpack, signal);
      }
    } finally {
      await content.release();
    }
  }

  /** Waits until the layers below are unpacked, by whom ever. Whoever unpacks several begins with the lowest, so nobody waits in a circle. */
  async #untilBelow(below: readonly string[], signal: AbortSignal): Promise<void> {
    for (const id of below) {
      if (this.#layers.has(id)) continue;
      const missing = async (): Promise<never> => {
        throw new Error(`the layer ${id} below is missing`);
      };
      await this.#tasks.run(id, missing, signal);
    }
  }

  /** The layers below a new one, the highest first. */
  #lowerLayers(below: readonly string[]): LowerLayer[] {
    const decoded = (paths: readonly string[]) =>
      new Set(paths.map((path) => Buffer.from(path, 'base64').toString('latin1')));
    return [...below].reverse().flatMap((id) => {
      const record = this.#layers.get(id);
      if (!record) return [];
      const { whiteouts, opaqueDirectories } = record;
      return [
        { files: this.filesOf(id), whiteouts: decoded(whiteouts), opaqueDirectories: decoded(opaqueDirectories) },
      ];
    });
  }

  #hasAllBelow(chainId: string): boolean {
    for (let id = chainId; id !== ''; ) {
      const layer = this.#layers.get(id);
      if (!layer) return false;
      id = layer.parent;
    }
    return true;
  }

  #pathOf(chainId: string): string {
    return join(this.#directory, chainId.slice('sha256:'.length));
  }

  /** The name is gone at once; the files are a matter of time. */
  async #remove(path: string): Promise<void> {
    const aside = join(this.#directory, `${removed}${this.#random.uuid()}`);
    try {
      await rename(path, aside);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
      throw error;
    }
    await this.#run(['rm', '--recursive', '--force', '--one-file-system', '--', aside]);
  }

  async #run(argv: readonly string[], signal?: AbortSignal): Promise<CommandResult> {
    const result = await this.#commands.run(argv, { signal, timeoutMs: 3_600_000 });
    if (result.status !== 0)
      throw new Error(`${argv[0]}: exit status ${result.status}: ${result.output.slice(0, 500)}`);
    return result;
  }
}

async function readRecord(place: string): Promise<LayerRecord> {
  return JSON.parse(await readFile(join(place, 'layer.json'), 'utf8')) as LayerRecord;
}

async function writeRecord(place: string, record: LayerRecord): Promise<void> {
  await writeFileAtomically(join(place, 'layer.json'), `${JSON.stringify(record, undefined, 2)}\n`);
}
