import { mkdir } from 'node:fs/promises';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { type Random, systemRandom } from '@coxswain/apimachinery/random';
import { BlobStore, Downloads } from '../content/index.ts';
import { chainIds, type LayerStore } from '../layers/index.ts';
import {
  HttpClient,
  isDigest,
  type RegistryAuth,
  RegistryError,
  type RegistryHostsOptions,
  Repository,
  registryHosts,
} from '../registry/index.ts';
import { ArchiveFiles } from './archive-files.ts';
import { imagesOfArchive } from './archive-images.ts';
import type { ImageConfiguration } from './image-configuration.ts';
import { ImageError } from './image-error.ts';
import { ImageInstaller, type InstalledImage } from './image-installer.ts';
import { defaultImageLimits, type ImageLimits } from './image-limits.ts';
import { parseConfiguration } from './image-manifest.ts';
import { type ImageRecord, withNames, withoutTag } from './image-record.ts';
import { ImageRecords } from './image-records.ts';
import { type ImageReference, imageReference } from './image-reference.ts';
import type { ImageStore, StoredImage } from './image-store.ts';
import { type Platform, platformOf } from './platform.ts';
import { PullError } from './pull-error.ts';
import type { OnProgress } from './pull-progress.ts';
import { RegistrySource } from './registry-source.ts';

export interface LocalImageStoreOptions extends RegistryHostsOptions {
  /** Where everything is kept. Nothing else may use it. */
  readonly root: string;
  readonly layers: LayerStore;
  readonly limits?: Partial<ImageLimits>;
  /** Names of images that are pinned: whoever removes unused images leaves them. */
  readonly pinnedImages?: readonly string[];
  /** Default: this machine. */
  readonly machine?: Platform;
  /** How many layers of an image are fetched at once. Default 3. */
  readonly maxParallelLayers?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface PullOptions {
  readonly auth?: RegistryAuth | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface PruneResult {
  readonly removed: readonly StoredImage[];
}

/** The images of this node, in a directory that a person can read (see the package's README). One process uses it at a time. */
export class LocalImageStore implements ImageStore {
  readonly #options: LocalImageStoreOptions;
  readonly #limits: ImageLimits;
  readonly #clock: Clock;
  readonly #records: ImageRecords;
  readonly #blobs: BlobStore;
  readonly #downloads: Downloads;
  readonly #installer: ImageInstaller;
  readonly #http = new HttpClient();
  readonly #pinned: ReadonlySet<string>;
  /** Configurations of the images that are recorded. */
  readonly #configurations = new Map<string, ImageConfiguration>();
  #flushing: Promise<void> | undefined;

  private constructor(options: LocalImageStoreOptions, records: ImageRecords, blobs: BlobStore, downloads: Downloads) {
    const { layers, limits, machine = platformOf(process.arch), maxParallelLayers = 3, pinnedImages = [] } = options;
    this.#options = options;
    this.#limits = { ...defaultImageLimits, ...limits };
    this.#clock = options.clock ?? systemClock;
    this.#records = records;
    this.#blobs = blobs;
    this.#downloads = downloads;
    this.#installer = new ImageInstaller({ layers, limits: this.#limits, machine, maxParallelLayers });
    this.#pinned = new Set(pinnedImages.map((image) => imageReference(image).name));
  }

  /** Opens the store, forgets images that are not whole, and removes what no image needs and what a crash left. */
  static async open(options: LocalImageStoreOptions): Promise<LocalImageStore> {
    const { root, layers, clock = systemClock } = options;
    await mkdir(root, { recursive: true, mode: 0o700 });
    const { reservedBytes } = layers.limits;
    const [records, blobs, downloads] = await Promise.all([
      ImageRecords.open(root),
      BlobStore.open(root),
      Downloads.open(root, { clock, reservedBytes }),
      ArchiveFiles.clean(root),
    ]);
    const store = new LocalImageStore(options, records, blobs, downloads);
    await store.#forgetBroken();
    await store.collectGarbage();
    return store;
  }

  async find(image: string): Promise<StoredImage | undefined> {
    const record = this.#find(image);
    return record && this.#stored(record);
  }

  list(): readonly StoredImage[] {
    return [...this.#records.images.values()].map((record) => this.#stored(record));
  }

  /** The documents of an image, for people who want to know everything. */
  async describe(id: string): Promise<{ readonly configuration: Buffer; readonly chainId: string } | undefined> {
    const configuration = await this.#blobs.read(id);
    const diffIds = this.#configurations.get(id)?.diffIds;
    return configuration && diffIds ? { configuration, chainId: chainIds(diffIds).at(-1) ?? '' } : undefined;
  }

  /** Pulls an image. Rejects with `PullError`, or with the signal's reason. Layers that are here are not pulled again. */
  async pull(image: string, options: PullOptions = {}): Promise<StoredImage> {
    const reference = imageReference(image);
    try {
      return await this.#pull(reference, options);
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason;
      throw new PullError(reference.name, error);
    }
  }

  /**
   * Loads the images of an archive: of `docker save`, or with an OCI layout, compressed or not. Images for other machines are left out.
   * Rejects with `ImageError` or `ArchiveError` if the archive has none, or is damaged.
   */
  async load(archive: AsyncIterable<Buffer>, options: Omit<PullOptions, 'auth'> = {}): Promise<readonly StoredImage[]> {
    const { root, layers, random = systemRandom } = this.#options;
    const files = await ArchiveFiles.unpack(layers.decompress(archive), {
      root,
      random,
      limits: {
        entries: this.#limits.archiveEntries,
        bytes: this.#limits.imageBytes,
        reservedBytes: layers.limits.reservedBytes,
      },
      signal: options.signal,
    });
    try {
      const loaded: StoredImage[] = [];
      for (const { source, digest, tags } of await imagesOfArchive(files, this.#limits)) {
        const installed = await this.#installer.install(source, digest, options);
        loaded.push(await this.#record(installed, Object.fromEntries(tags.map((tag) => [tag, digest])), []));
      }
      return loaded;
    } finally {
      await files.remove();
    }
  }

  /** Removes an image with all its names. Containers that use it keep its layers. False if there is no such image. */
  async remove(image: string): Promise<boolean> {
    const isRemoved = await this.#records.change(async (images) => {
      const record = this.#find(image);
      if (!record) return { result: false };
      const rest = new Map(images);
      rest.delete(record.id);
      return { images: rest, result: true };
    });
    if (isRemoved) await this.collectGarbage();
    return isRemoved;
  }

  /** Removes all images that are neither pinned nor among those in use, which are given by their ids. */
  async prune(inUse: ReadonlySet<string>): Promise<PruneResult> {
    const removed = await this.#records.change(async (images) => {
      const unused = [...images.values()].filter((image) => !this.#isPinned(image) && !inUse.has(image.id));
      const result = unused.map((image) => this.#stored(image));
      const ids = new Set(unused.map(({ id }) => id));
      return { images: new Map([...images].filter(([id]) => !ids.has(id))), result };
    });
    await this.collectGarbage();
    return { removed };
  }

  /** Pins an image, or ends that. False if there is no such image. */
  async pin(image: string, isPinned = true): Promise<boolean> {
    return await this.#records.change(async (images) => {
      const record = this.#find(image);
      if (!record) return { result: false };
      return { images: new Map(images).set(record.id, { ...record, isPinned }), result: true };
    });
  }

  /** About how much the images take on the disk. */
  usage(): { readonly usedBytes: number; readonly inodesUsed: number } {
    let usedBytes = 0;
    let inodesUsed = 0;
    for (const { diskBytes, inodes } of this.#options.layers.list()) {
      usedBytes += diskBytes;
      inodesUsed += inodes;
    }
    return { usedBytes, inodesUsed };
  }

  /** Removes blobs and layers that no image, no pull and no container needs. */
  async collectGarbage(): Promise<void> {
    await this.#records.change(async (images) => {
      const blobs = new Set<string>();
      const layers = new Set<string>();
      for (const { id, documents } of images.values()) {
        for (const document of documents) blobs.add(document);
        for (const layer of chainIds(this.#configurations.get(id)?.diffIds ?? [])) layers.add(layer);
      }
      for (const id of [...this.#configurations.keys()]) if (!images.has(id)) this.#configurations.delete(id);
      await this.#blobs.keepOnly(blobs);
      await this.#options.layers.keepOnly(layers);
      return { result: undefined };
    });
  }

  async close(): Promise<void> {
    this.#http.close();
    await this.#flushing;
  }

  async #pull(reference: ImageReference, { auth, signal, onProgress }: PullOptions): Promise<StoredImage> {
    const { registry, path, repository: name, tag } = reference;
    const repository = new Repository({
      http: this.#http,
      registry,
      path,
      hosts: await registryHosts(registry, this.#options),
      auth,
      maxManifestBytes: this.#limits.manifestBytes,
    });
    const { limits } = { limits: this.#limits };
    const source = new RegistrySource({ repository, downloads: this.#downloads, blobs: this.#blobs, limits });
    let digest = reference.digest;
    if (digest !== undefined && !isDigest(digest)) throw new ImageError(`unsupported digest ${digest}`);
    // The registry is asked even if everything is here, so that nobody gets an image who may not have it.
    if (digest !== undefined) source.remember(await this.#resolving(reference, repository.manifest(digest, signal)));
    else {
      const resolved = await this.#resolving(reference, repository.resolve(tag ?? 'latest', signal));
      if (resolved.manifest) source.remember(resolved.manifest);
      digest = resolved.digest;
    }
    const installed = await this.#installer.install(source, digest, { signal, onProgress });
    return await this.#record(installed, tag === undefined ? {} : { [reference.name]: digest }, [`${name}@${digest}`]);
  }

  async #resolving<T>({ name }: ImageReference, request: Promise<T>): Promise<T> {
    try {
      return await request;
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      const words = error.reason === 'notFound' ? `${name}: not found` : error.message;
      throw new RegistryError(error.reason, `failed to resolve reference ${JSON.stringify(name)}: ${words}`, {
        cause: error,
      });
    }
  }

  /** Makes an installed image known, and moves tags that other images had. */
  async #record(
    installed: InstalledImage,
    tags: ImageRecord['tags'],
    digests: readonly string[],
  ): Promise<StoredImage> {
    const { record, documents, release } = installed;
    try {
      return await this.#records.change(async (images) => {
        for (const { digest, content } of documents) await this.#blobs.write(digest, content);
        const changed = new Map(images);
        for (const other of images.values()) {
          if (other.id === record.id) continue;
          const moved = Object.keys(tags).filter((tag) => tag in other.tags);
          if (moved.length > 0) changed.set(other.id, moved.reduce(withoutTag, other));
        }
        const fresh: ImageRecord = { ...record, tags: {}, digests: [], isPinned: false, createdAt: this.#clock.now() };
        const known = images.get(record.id);
        // The same image may be had by several manifests.
        const both = known ? { ...known, documents: [...new Set([...known.documents, ...record.documents])] } : fresh;
        const image = withNames(both, tags, digests);
        changed.set(image.id, image);
        this.#configurations.set(image.id, parseConfiguration(documents.at(-1)!.content));
        return { images: changed, result: this.#stored(image) };
      });
    } finally {
      release();
      this.#flush();
    }
  }

  /** Writes layers to the disk in the background. Until then they are good for this boot of the machine. */
  #flush(): void {
    this.#flushing ??= this.#options.layers
      .flush()
      // They are pulled again after a power failure.
      .catch(() => {})
      .finally(() => {
        this.#flushing = undefined;
      });
  }

  /** An image needs its documents and its layers. One that lacks some, after a crash of the machine, is forgotten, so that it is pulled again. */
  async #forgetBroken(): Promise<void> {
    const { layers } = this.#options;
    await this.#records.change(async (images) => {
      const whole = new Map(images);
      for (const { id, documents } of images.values()) {
        const contents = await Promise.all(documents.map((digest) => this.#blobs.read(digest)));
        const content = contents[documents.indexOf(id)];
        const configuration =
          content && contents.every((it) => it !== undefined) ? parseConfiguration(content) : undefined;
        if (configuration && chainIds(configuration.diffIds).every((chainId) => layers.find(chainId))) {
          this.#configurations.set(id, configuration);
        } else whole.delete(id);
      }
      return { ...(whole.size < images.size && { images: whole }), result: undefined };
    });
  }

  #find(image: string): ImageRecord | undefined {
    const images = this.#records.images;
    const byId = images.get(image);
    if (byId) return byId;
    const name = nameOf(image);
    if (name !== undefined) {
      for (const record of images.values()) {
        if (name in record.tags || record.digests.includes(name)) return record;
      }
    }
    const beginning = /^(?:sha256:)?([0-9a-f]{1,64})$/.exec(image)?.[1];
    if (beginning === undefined) return undefined;
    const matches = [...images.values()].filter(({ id }) => id.startsWith(`sha256:${beginning}`));
    return matches.length === 1 ? matches[0] : undefined;
  }

  #isPinned({ isPinned, tags, digests }: ImageRecord): boolean {
    return isPinned || [...Object.keys(tags), ...digests].some((name) => this.#pinned.has(name));
  }

  #stored(record: ImageRecord): StoredImage {
    const configuration = this.#configurations.get(record.id);
    if (!configuration) throw new Error(`the image ${record.id} has no configuration in memory`);
    return {
      id: record.id,
      repoTags: Object.keys(record.tags).sort(),
      repoDigests: [...record.digests].sort(),
      size: record.size,
      isPinned: this.#isPinned(record),
      configuration,
    };
  }
}

function nameOf(image: string): string | undefined {
  try {
    return imageReference(image).name;
  } catch {
    return undefined;
  }
}
