import { createHash } from 'node:crypto';
import type { BlobStore, Downloads } from '../content/index.ts';
import { RegistryError, type Repository } from '../registry/index.ts';
import { ImageError } from './image-error.ts';
import type { ImageLimits } from './image-limits.ts';
import type { Descriptor } from './image-manifest.ts';
import type { ImageDocument, ImageSource, SourceLayer } from './image-source.ts';

export interface RegistrySourceOptions {
  readonly repository: Repository;
  readonly downloads: Downloads;
  readonly blobs: BlobStore;
  readonly limits: ImageLimits;
}

/** The parts of an image in a registry. What is already here is not asked for. */
export class RegistrySource implements ImageSource {
  readonly #options: RegistrySourceOptions;
  /** A manifest that came with the answer to a tag. */
  readonly #known = new Map<string, ImageDocument>();

  constructor(options: RegistrySourceOptions) {
    this.#options = options;
  }

  remember(document: ImageDocument): void {
    this.#known.set(document.digest, document);
  }

  async manifest(digest: string, signal?: AbortSignal): Promise<ImageDocument> {
    const known = this.#known.get(digest);
    if (known) return known;
    const content = await this.#options.blobs.read(digest);
    return content ? { digest, mediaType: '', content } : await this.#options.repository.manifest(digest, signal);
  }

  async configuration({ digest, size }: Descriptor, signal?: AbortSignal): Promise<Buffer> {
    if (size > this.#options.limits.configurationBytes)
      throw new ImageError(`the configuration ${digest} is too large`);
    const known = await this.#options.blobs.read(digest);
    if (known) return known;
    const { body } = await this.#options.repository.blob(digest, 0, signal);
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of body) {
      length += part.length;
      if (length > size) throw new ImageError(`the configuration ${digest} is larger than ${size} bytes`);
      parts.push(part);
    }
    const content = Buffer.concat(parts);
    const found = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    if (found !== digest) throw new ImageError(`unexpected digest ${found} of the configuration, expected ${digest}`);
    return content;
  }

  async layer({ digest, size }: Descriptor): Promise<SourceLayer> {
    const download = this.#options.downloads.start({
      digest,
      size,
      source: (offset, signal) => this.#options.repository.blob(digest, offset, signal),
      isTransient: (error) => error instanceof RegistryError && error.reason === 'unavailable',
    });
    return {
      read: (signal) => download.follow(signal),
      verified: (signal) => download.verified(signal),
      release: () => download.release(),
      download,
    };
  }
}
