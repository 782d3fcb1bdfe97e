import { isDigest } from '../registry/index.ts';
import type { ImageConfiguration } from './image-configuration.ts';
import { ImageError } from './image-error.ts';
import { isObject, type JsonObject, textMapOf, textsOf } from './json-fields.ts';
import { type Platform, suitability } from './platform.ts';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** The manifest of one image. */
export interface ImageManifest {
  readonly config: Descriptor;
  /** The lowest first. */
  readonly layers: readonly Descriptor[];
}

/** A list of manifests and of further lists. */
export interface ImageIndex {
  readonly manifests: readonly IndexEntry[];
}

export interface IndexEntry extends Descriptor {
  readonly platform: Platform | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const configTypes = ['application/vnd.oci.image.config.v1+json', 'application/vnd.docker.container.image.v1+json'];
const layerTypes =
  /^application\/vnd\.(oci\.image\.layer\.(nondistributable\.)?v1\.tar|docker\.image\.rootfs\.(diff|foreign\.diff)\.tar)([+.](gzip|zstd))?$/;

/** The most of images that exist have fewer than 128. */
const maxLayers = 500;
const maxManifests = 1000;

/** Parses a manifest or an index. Throws `ImageError` if it is neither, or not valid. */
export function parseManifest(content: Buffer, mediaType = ''): ImageManifest | ImageIndex {
  const value = parseJson(content, 'the manifest');
  if (value.schemaVersion === 1) {
    throw new ImageError('images with a manifest of schema version 1 are no longer supported');
  }
  const type = typeof value.mediaType === 'string' ? value.mediaType : mediaType;
  // A manifest that can be read both ways may be shown to one reader as something else than to another.
  if (value.manifests !== undefined && (value.layers !== undefined || value.config !== undefined)) {
    throw new ImageError('the manifest is ambiguous: it has layers and manifests');
  }
  if (indexTypes.includes(type) || (!manifestTypes.includes(type) && value.manifests !== undefined))
    return indexOf(value);
  if (value.config === undefined)
    throw new ImageError(`unsupported manifest media type ${JSON.stringify(type.slice(0, 200))}`);
  return manifestOf(value);
}

export const isIndex = (manifest: ImageManifest | ImageIndex): manifest is ImageIndex => 'manifests' in manifest;

function indexOf({ manifests }: JsonObject): ImageIndex {
  if (!Array.isArray(manifests)) throw new ImageError('the index has no manifests');
  if (manifests.length > maxManifests) throw new ImageError(`the index has more than ${maxManifests} manifests`);
  return {
    manifests: manifests.map((it) => {
      const { platform, annotations } = isObject(it) ? it : {};
      return { ...descriptorOf(it), platform: platformIn(platform), annotations: textMapOf(annotations) ?? {} };
    }),
  };
}

function platformIn(value: unknown): Platform | undefined {
  if (!isObject(value)) return undefined;
  const { os, architecture, variant } = value;
  if (typeof os !== 'string' || typeof architecture !== 'string') return undefined;
  return { os, architecture, variant: typeof variant === 'string' ? variant : '' };
}

function manifestOf({ config, layers }: JsonObject): ImageManifest {
  if (!Array.isArray(layers)) throw new ImageError('the manifest has no layers');
  if (layers.length > maxLayers) throw new ImageError(`the image has more than ${maxLayers} layers`);
  const manifest = { config: descriptorOf(config), layers: layers.map(descriptorOf) };
  if (!configTypes.includes(manifest.config.mediaType)) {
    throw new ImageError(`unsupported configuration media type ${JSON.stringify(manifest.config.mediaType)}`);
  }
  for (const { mediaType } of manifest.layers) {
    if (!layerTypes.test(mediaType)) throw new ImageError(`unsupported layer media type ${JSON.stringify(mediaType)}`);
  }
  return manifest;
}

function descriptorOf(value: unknown): Descriptor {
  const { mediaType, digest, size } = isObject(value) ? value : {};
  if (typeof digest !== 'string' || !isDigest(digest)) {
    throw new ImageError(`invalid digest ${JSON.stringify(digest)?.slice(0, 200)} in the manifest`);
  }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw new ImageError(`invalid size of ${digest} in the manifest`);
  return { mediaType: typeof mediaType === 'string' ? mediaType.slice(0, 200) : '', digest, size };
}

/** Returns what in an index suits a machine, the best first. */
export function entriesFor({ manifests }: ImageIndex, machine: Platform): IndexEntry[] {
  const rated = manifests.flatMap((entry) => {
    // Signatures and the like are listed beside images, for no platform.
    if (entry.annotations['vnd.docker.reference.type'] !== undefined) return [];
    const rating = entry.platform ? suitability(entry.platform, machine) : 0;
    return rating === undefined ? [] : [{ entry, rating }];
  });
  return rated.sort((a, b) => b.rating - a.rating).map(({ entry }) => entry);
}

/** Parses the configuration of an image. Throws `ImageError` if it is not valid or does not have as many layers as the manifest. */
export function parseConfiguration(content: Buffer, layers?: number): ImageConfiguration {
  const { architecture, os, variant, config, rootfs } = parseJson(content, 'the configuration of the image');
  const diffIds = isObject(rootfs) ? textsOf(rootfs.diff_ids) : undefined;
  if (!diffIds?.every(isDigest) || (layers !== undefined && diffIds.length !== layers)) {
    throw new ImageError('mismatched image rootfs and manifest layers');
  }
  return {
    architecture: typeof architecture === 'string' ? architecture : '',
    ...(typeof variant === 'string' && variant !== '' && { variant }),
    os: typeof os === 'string' ? os : '',
    config: isObject(config) ? settingsOf(config) : {},
    diffIds,
  };
}

function settingsOf(config: JsonObject): ImageConfiguration['config'] {
  const { User, Env, Entrypoint, Cmd, WorkingDir, StopSignal, Volumes, Labels } = config;
  const [env, entrypoint, cmd, labels] = [textsOf(Env), textsOf(Entrypoint), textsOf(Cmd), textMapOf(Labels)];
  return {
    ...(typeof User === 'string' && { User }),
    ...(env && { Env: env }),
    ...(entrypoint && { Entrypoint: entrypoint }),
    ...(cmd && { Cmd: cmd }),
    ...(typeof WorkingDir === 'string' && { WorkingDir }),
    ...(typeof StopSignal === 'string' && { StopSignal }),
    ...(isObject(Volumes) && { Volumes: Object.fromEntries(Object.keys(Volumes).map((path) => [path, {}])) }),
    ...(labels && { Labels: labels }),
  };
}

function parseJson(content: Buffer, what: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(content.toString('utf8'));
  } catch (cause) {
    throw new ImageError(`${what} is not valid JSON`, { cause });
  }
  if (!isObject(value)) throw new ImageError(`${what} is not a JSON object`);
  return value;
}
