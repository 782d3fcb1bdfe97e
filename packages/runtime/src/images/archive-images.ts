import { createHash } from 'node:crypto';
import { parseImageName } from '@coxswain/cri/image-name';
import { ArchiveError } from '../tar/index.ts';
import type { ArchiveFile, ArchiveFiles } from './archive-files.ts';
import { ImageError } from './image-error.ts';
import type { ImageLimits } from './image-limits.ts';
import { type Descriptor, isIndex, parseConfiguration, parseManifest } from './image-manifest.ts';
import { imageReference } from './image-reference.ts';
import type { ImageDocument, ImageSource, SourceLayer } from './image-source.ts';
import { isObject, textsOf } from './json-fields.ts';

/** An image of an archive. */
export interface ArchiveImage {
  readonly source: ImageSource;
  readonly digest: string;
  /** Complete names. */
  readonly tags: readonly string[];
}

/** Returns the images of an archive with an OCI layout, or of one that `docker save` has made. */
export async function imagesOfArchive(files: ArchiveFiles, limits: ImageLimits): Promise<readonly ArchiveImage[]> {
  const index = await files.read('index.json', limits.manifestBytes);
  const list = await files.read('manifest.json', limits.manifestBytes);
  // Docker writes both; its own has all names.
  const tags = list ? dockerTags(list) : new Map<string, readonly string[]>();
  if (index && files.find('oci-layout')) return await layoutImages(files, index, tags, limits);
  if (list) return await dockerImages(files, list, limits);
  throw new ImageError('the archive has neither an OCI layout nor a manifest.json');
}

async function layoutImages(
  files: ArchiveFiles,
  content: Buffer,
  dockerNames: ReadonlyMap<string, readonly string[]>,
  limits: ImageLimits,
): Promise<readonly ArchiveImage[]> {
  const index = parseManifest(content, 'application/vnd.oci.image.index.v1+json');
  if (!isIndex(index)) throw new ImageError('index.json is no index');
  const source = new LayoutSource(files, limits);
  const images: ArchiveImage[] = [];
  for (const { digest, annotations } of index.manifests) {
    if (annotations['vnd.docker.reference.type'] !== undefined) continue;
    const names = [annotations['io.containerd.image.name'], annotations['org.opencontainers.image.ref.name']];
    // The second may be a tag only, which is no name.
    const written = names.find((name) => name !== undefined && parseImageName(name) && /[/:]/.test(name));
    const { content: manifest } = await source.manifest(digest);
    const parsed = parseManifest(manifest);
    const more = isIndex(parsed) ? [] : (dockerNames.get(parsed.config.digest) ?? []);
    const tags = [...new Set([...(written === undefined ? [] : [imageReference(written).name]), ...more])];
    images.push({ source, digest, tags: tags.filter((tag) => !tag.includes('@')) });
  }
  return images;
}

/** Blobs of an OCI layout, each verified when the archive was read. */
class LayoutSource implements ImageSource {
  readonly #files: ArchiveFiles;
  readonly #limits: ImageLimits;

  constructor(files: ArchiveFiles, limits: ImageLimits) {
    this.#files = files;
    this.#limits = limits;
  }

  async manifest(digest: string): Promise<ImageDocument> {
    return { digest, mediaType: '', content: await this.#read(digest, this.#limits.manifestBytes) };
  }

  async configuration({ digest }: Descriptor): Promise<Buffer> {
    return await this.#read(digest, this.#limits.configurationBytes);
  }

  async layer({ digest }: Descriptor): Promise<SourceLayer> {
    return layerOf(this.#files, this.#blob(digest));
  }

  async #read(digest: string, maxBytes: number): Promise<Buffer> {
    const { path } = this.#place(digest);
    this.#blob(digest);
    const content = await this.#files.read(path, maxBytes);
    if (!content) throw new ImageError(`the archive lacks the blob ${digest}`);
    return content;
  }

  #blob(digest: string): ArchiveFile {
    const file = this.#files.find(this.#place(digest).path);
    if (!file) throw new ImageError(`the archive lacks the blob ${digest}`);
    if (file.digest !== digest)
      throw new ArchiveError(`the blob ${digest} of the archive has the digest ${file.digest}`);
    return file;
  }

  #place(digest: string): { readonly path: string } {
    return { path: `blobs/${digest.replace(':', '/')}` };
  }
}

interface DockerImage {
  readonly config: string;
  readonly layers: readonly string[];
  readonly tags: readonly string[];
}

function dockerList(content: Buffer): readonly DockerImage[] {
  const list: unknown = JSON.parse(content.toString('utf8'));
  if (!Array.isArray(list)) throw new ImageError('manifest.json of the archive is no list');
  return list.map((it) => {
    const { Config, Layers, RepoTags } = isObject(it) ? it : {};
    const layers = textsOf(Layers);
    if (typeof Config !== 'string' || !layers) throw new ImageError('manifest.json of the archive is not valid');
    return { config: Config, layers, tags: (textsOf(RepoTags) ?? []).map((tag) => imageReference(tag).name) };
  });
}

/** The names of the images in an archive with both formats, by the digests of their configurations. */
function dockerTags(content: Buffer): ReadonlyMap<string, readonly string[]> {
  return new Map(
    dockerList(content).map(({ config, tags }) => [
      `sha256:${config
        .split('/')
        .at(-1)
        ?.replace(/\.json$/, '')}`,
      tags,
    ]),
  );
}

async function dockerImages(files: ArchiveFiles, list: Buffer, limits: ImageLimits): Promise<readonly ArchiveImage[]> {
  return await Promise.all(
    dockerList(list).map(async (image) => {
      const config = await files.read(image.config, limits.configurationBytes);
      if (!config) throw new ImageError(`the archive lacks ${image.config}`);
      parseConfiguration(config, image.layers.length);
      const layers = image.layers.map((path) => {
        const file = files.find(path);
        if (!file) throw new ImageError(`the archive lacks ${path}`);
        return file;
      });
      const source = new DockerSource(files, config, layers);
      return { source, digest: source.digest, tags: image.tags };
    }),
  );
}

/** An image of `docker save`, which has no manifest. One is made, as other runtimes do. */
class DockerSource implements ImageSource {
  readonly digest: string;
  readonly #files: ArchiveFiles;
  readonly #config: Buffer;
  readonly #manifest: Buffer;
  readonly #layers: ReadonlyMap<string, ArchiveFile>;

  constructor(files: ArchiveFiles, config: Buffer, layers: readonly ArchiveFile[]) {
    this.#files = files;
    this.#config = config;
    this.#layers = new Map(layers.map((file) => [file.digest, file]));
    const manifest = {
      schemaVersion: 2,
      mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
      config: {
        mediaType: 'application/vnd.docker.container.image.v1+json',
        size: config.length,
        digest: digestOf(config),
      },
      layers: layers.map(({ digest, size }) => ({
        mediaType: 'application/vnd.docker.image.rootfs.diff.tar',
        size,
        digest,
      })),
    };
    this.#manifest = Buffer.from(JSON.stringify(manifest));
    this.digest = digestOf(this.#manifest);
  }

  async manifest(digest: string): Promise<ImageDocument> {
    return { digest, mediaType: '', content: this.#manifest };
  }

  async configuration(): Promise<Buffer> {
    return this.#config;
  }

  async layer({ digest }: Descriptor): Promise<SourceLayer> {
    const file = this.#layers.get(digest);
    if (!file) throw new Error(`the image has no layer ${digest}`);
    return layerOf(this.#files, file);
  }
}

const layerOf = (files: ArchiveFiles, file: ArchiveFile): SourceLayer => ({
  read: () => files.stream(file),
  verified: async () => false,
  release: async () => {},
});

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
