import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export interface TestDocument {
  readonly digest: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

/** An image as registries have it. */
export interface TestImage {
  readonly blobs: ReadonlyMap<string, Buffer>;
  /** The last is what a tag stands for. */
  readonly manifests: readonly TestDocument[];
  /** The digest of the configuration. */
  readonly id: string;
}

export interface TestImageOptions {
  /** Uncompressed layers, the lowest first. */
  readonly layers: readonly Buffer[];
  readonly compress?: (layer: Buffer) => Buffer;
  readonly layerType?: string;
  /** Of the configuration's `config`. */
  readonly settings?: object;
  readonly architecture?: string;
}

export const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
export const machineArchitecture = process.arch === 'x64' ? 'amd64' : process.arch;
const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));

export function testImage(options: TestImageOptions): TestImage {
  const {
    layers,
    compress = (layer) => gzipSync(layer, { level: 1 }),
    settings = {},
    architecture = machineArchitecture,
  } = options;
  const { layerType = 'application/vnd.oci.image.layer.v1.tar+gzip' } = options;
  const blobs = new Map<string, Buffer>();
  const add = (mediaType: string, content: Buffer) => {
    const digest = digestOf(content);
    blobs.set(digest, content);
    return { mediaType, digest, size: content.length };
  };
  const config = add(
    'application/vnd.oci.image.config.v1+json',
    json({ architecture, os: 'linux', config: settings, rootfs: { type: 'layers', diff_ids: layers.map(digestOf) } }),
  );
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const content = json({
    schemaVersion: 2,
    mediaType,
    config,
    layers: layers.map((layer) => add(layerType, compress(layer))),
  });
  return { blobs, manifests: [{ digest: digestOf(content), mediaType, content }], id: config.digest };
}

/** Joins images for several platforms by an index. */
export function indexOf(images: Readonly<Record<string, TestImage>>): TestImage {
  const manifests = Object.entries(images).map(([platform, image]) => {
    const [os, architecture, variant] = platform.split('/');
    const { digest, mediaType, content } = image.manifests.at(-1)!;
    return { mediaType, digest, size: content.length, platform: { os, architecture, ...(variant && { variant }) } };
  });
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  const content = json({ schemaVersion: 2, mediaType, manifests });
  const all = Object.values(images);
  return {
    blobs: new Map(all.flatMap((image) => [...image.blobs])),
    manifests: [...all.flatMap((image) => image.manifests), { digest: digestOf(content), mediaType, content }],
    id: all[0]?.id ?? '',
  };
}
