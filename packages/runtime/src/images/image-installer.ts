import { chainIds, type LayerContent, type LayerStore } from '../layers/index.ts';
import { Limiter } from '../tasks/index.ts';
import { findManifest } from './find-manifest.ts';
import { ImageError } from './image-error.ts';
import type { ImageLimits } from './image-limits.ts';
import { type Descriptor, parseConfiguration } from './image-manifest.ts';
import type { ImageRecord } from './image-record.ts';
import type { ImageDocument, ImageSource } from './image-source.ts';
import type { Platform } from './platform.ts';
import type { OnProgress } from './pull-progress.ts';

export interface InstallerOptions {
  readonly layers: LayerStore;
  readonly limits: ImageLimits;
  readonly machine: Platform;
  /** How many layers of an image are fetched at once. */
  readonly maxParallelLayers: number;
}

/** An image whose layers are all unpacked, and which is not recorded yet. */
export interface InstalledImage {
  readonly record: Omit<ImageRecord, 'tags' | 'digests' | 'isPinned' | 'createdAt'>;
  readonly documents: readonly ImageDocument[];
  /** Allows the layers to be removed if the image is not recorded. */
  release(): void;
}

/** Fetches and unpacks what an image consists of. */
export class ImageInstaller {
  readonly #options: InstallerOptions;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  /** Installs the image with this digest, or that for this machine if it is the digest of an index. The caller must release it. */
  async install(
    source: ImageSource,
    digest: string,
    {
      signal,
      onProgress = () => {},
    }: { readonly signal?: AbortSignal | undefined; readonly onProgress?: OnProgress | undefined },
  ): Promise<InstalledImage> {
    const { layers, limits, machine } = this.#options;
    const { manifest, documents } = await findManifest(source, digest, { machine, limits, signal });
    const size = manifest.layers.reduce((sum, layer) => sum + layer.size, 0);
    if (size > limits.imageBytes)
      throw new ImageError(`the layers of the image are larger than ${limits.imageBytes} bytes`);
    const content = await source.configuration(manifest.config, signal);
    const { diffIds } = parseConfiguration(content, manifest.layers.length);
    const chain = chainIds(diffIds);
    const release = layers.hold(chain);
    try {
      await this.#addLayers(source, manifest.layers, { diffIds, chain, signal, onProgress });
    } catch (error) {
      release();
      throw error;
    }
    const config: ImageDocument = { digest: manifest.config.digest, mediaType: manifest.config.mediaType, content };
    const all = [...documents, config];
    return {
      record: {
        id: config.digest,
        manifest: documents.at(-1)!.digest,
        documents: all.map((document) => document.digest),
        layers: manifest.layers,
        size: size + documents.at(-1)!.content.length + content.length,
      },
      documents: all,
      release,
    };
  }

  async #addLayers(
    source: ImageSource,
    descriptors: readonly Descriptor[],
    context: {
      readonly diffIds: readonly string[];
      readonly chain: readonly string[];
      readonly signal: AbortSignal | undefined;
      readonly onProgress: OnProgress;
    },
  ): Promise<void> {
    const { diffIds, chain, onProgress } = context;
    const { layers, maxParallelLayers } = this.#options;
    const limiter = new Limiter(maxParallelLayers);
    // When one fails, the others are not continued.
    const stop = new AbortController();
    const signal = context.signal ? AbortSignal.any([context.signal, stop.signal]) : stop.signal;
    const add = async (descriptor: Descriptor, at: number): Promise<void> => {
      const { digest, size: total } = descriptor;
      const chainId = chain[at]!;
      if (layers.find(chainId)) return onProgress({ digest, state: 'exists', bytes: total, total });
      const open = async (): Promise<LayerContent> => {
        const layer = await source.layer(descriptor);
        const report = (): void =>
          onProgress({ digest, state: 'downloading', bytes: layer.download?.position ?? 0, total });
        const unwatch = layer.download?.watch(report);
        report();
        return {
          async *read(stopped) {
            yield* layer.read(stopped);
            onProgress({ digest, state: 'unpacking', bytes: total, total });
          },
          verified: (stopped) => layer.verified(stopped),
          async release() {
            unwatch?.();
            await layer.release();
          },
        };
      };
      const layer = { chainId, diffId: diffIds[at]!, digest, compressedBytes: total, below: chain.slice(0, at), open };
      await limiter.run(() => layers.add(layer, signal), signal);
      onProgress({ digest, state: 'done', bytes: total, total });
    };
    const adding = descriptors.map(async (descriptor, at) => {
      onProgress({ digest: descriptor.digest, state: 'waiting', bytes: 0, total: descriptor.size });
      try {
        await add(descriptor, at);
      } catch (error) {
        const failure = new LayerError(diffIds[at]!, error);
        stop.abort(failure);
        throw failure;
      }
    });
    // All have ended before the caller goes on. The one that stopped the others says why.
    await Promise.allSettled(adding);
    if (stop.signal.aborted) throw context.signal?.aborted ? context.signal.reason : stop.signal.reason;
  }
}

/** A layer that could not be fetched or unpacked. */
class LayerError extends Error {
  constructor(diffId: string, cause: unknown) {
    super(`failed to extract layer ${diffId}: ${(cause as Error).message}`, { cause });
    this.name = 'LayerError';
  }
}
