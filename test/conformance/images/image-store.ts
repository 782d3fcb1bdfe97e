import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ImageConfig } from './recipes.ts';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface Manifest {
  readonly schemaVersion: 2;
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** An image by one of its names. */
export interface StoredImage {
  readonly name: string;
  /** The hash of the recipe that it was made from. */
  readonly recipe: string;
  readonly manifest: Descriptor;
}

interface Index {
  readonly manifests: readonly (Descriptor & { readonly annotations: Readonly<Record<string, string>> })[];
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const nameAnnotation = 'io.containerd.image.name';
const recipeAnnotation = 'dev.coxswain.recipe';
/** Not yet complete blobs have names with this prefix. */
const partialPrefix = 'partial-';

/** Images in a directory, which is an OCI image layout. Blobs are written to disk as they come. */
export class ImageStore {
  readonly directory: string;
  readonly #images: Map<string, StoredImage>;
  #partials = 0;

  private constructor(directory: string, images: readonly StoredImage[]) {
    this.directory = directory;
    this.#images = new Map(images.map((image) => [image.name, image]));
  }

  /** Opens the directory, which is created if it is missing. Throws when its index cannot be read. */
  static async open(directory: string): Promise<ImageStore> {
    await mkdir(join(directory, 'blobs', 'sha256'), { recursive: true });
    await writeFile(join(directory, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
    return new ImageStore(directory, await readIndex(directory));
  }

  get images(): readonly StoredImage[] {
    return [...this.#images.values()];
  }

  find(name: string): StoredImage | undefined {
    return this.#images.get(name);
  }

  /** The path of a blob. Throws when the digest is not a SHA-256 digest. */
  pathOf(digest: string): string {
    const hash = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
    if (hash === undefined) throw new Error(`${digest} is not a SHA-256 digest`);
    return join(this.directory, 'blobs', 'sha256', hash);
  }

  /** Returns the manifest of an image and its configuration. */
  async read(image: StoredImage): Promise<{ readonly manifest: Manifest; readonly diffIds: readonly string[] }> {
    const manifest: Manifest = JSON.parse(await readFile(this.pathOf(image.manifest.digest), 'utf8'));
    const config = JSON.parse(await readFile(this.pathOf(manifest.config.digest), 'utf8'));
    return { manifest, diffIds: config.rootfs.diff_ids };
  }

  /** Adds a tar archive as a layer, without holding it in memory. */
  async addLayer(archive: Readable): Promise<Descriptor> {
    const hash = createHash('sha256');
    let size = 0;
    const partial = this.#partialPath();
    await pipeline(
      archive,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(partial),
    );
    const digest = `sha256:${hash.digest('hex')}`;
    await rename(partial, this.pathOf(digest));
    return { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest, size };
  }

  /** Adds an image under all of its names. Layers are not compressed, so that each is its own diff id. */
  async addImage(image: {
    readonly names: readonly string[];
    readonly recipe: string;
    readonly layers: readonly Descriptor[];
    readonly config: ImageConfig;
  }): Promise<void> {
    const config = await this.#addJson('application/vnd.oci.image.config.v1+json', {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'], ...image.config },
      rootfs: { type: 'layers', diff_ids: image.layers.map(({ digest }) => digest) },
    });
    const content: Manifest = { schemaVersion: 2, mediaType: manifestType, config, layers: image.layers };
    const manifest = await this.#addJson(manifestType, content);
    for (const name of image.names) this.#images.set(name, { name, recipe: image.recipe, manifest });
    await this.#writeIndex();
  }

  /** Forgets images with other names than these, and deletes blobs that no image has. */
  async prune(names: readonly string[]): Promise<void> {
    for (const name of this.#images.keys()) if (!names.includes(name)) this.#images.delete(name);
    await this.#writeIndex();
    const used = new Set<string>();
    for (const image of this.#images.values()) {
      const { manifest } = await this.read(image);
      for (const { digest } of [image.manifest, manifest.config, ...manifest.layers]) used.add(this.pathOf(digest));
    }
    const blobs = join(this.directory, 'blobs', 'sha256');
    for (const file of await readdir(blobs)) if (!used.has(join(blobs, file))) await rm(join(blobs, file));
  }

  async #addJson(mediaType: string, value: object): Promise<Descriptor> {
    const content = Buffer.from(JSON.stringify(value));
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    await writeAtomically(this.pathOf(digest), content, this.#partialPath());
    return { mediaType, digest, size: content.length };
  }

  async #writeIndex(): Promise<void> {
    const manifests = this.images.map(({ name, recipe, manifest }) => ({
      ...manifest,
      annotations: { [nameAnnotation]: name, [recipeAnnotation]: recipe },
    }));
    const content = JSON.stringify({ schemaVersion: 2, manifests });
    await writeAtomically(join(this.directory, 'index.json'), Buffer.from(content), this.#partialPath());
  }

  #partialPath(): string {
    return join(this.directory, 'blobs', 'sha256', `${partialPrefix}${process.pid}-${this.#partials++}`);
  }
}

async function readIndex(directory: string): Promise<StoredImage[]> {
  const text = await readFile(join(directory, 'index.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{"manifests":[]}';
    throw error;
  });
  const { manifests }: Index = JSON.parse(text);
  return manifests.map(({ mediaType, digest, size, annotations }) => ({
    name: annotations[nameAnnotation] ?? '',
    recipe: annotations[recipeAnnotation] ?? '',
    manifest: { mediaType, digest, size },
  }));
}

async function writeAtomically(path: string, content: Buffer, partial: string): Promise<void> {
  await writeFile(partial, content);
  await rename(partial, path);
}
