import type { Descriptor } from './image-manifest.ts';

/** An image as `images.json` has it. */
export interface ImageRecord {
  /** The digest of the configuration. */
  readonly id: string;
  readonly manifest: string;
  /** The blobs that describe it: the indexes that led to it, the manifest, the configuration. */
  readonly documents: readonly string[];
  /** The compressed layers, the lowest first. */
  readonly layers: readonly Descriptor[];
  /** Names with a tag, each with the digest of the manifest or index that it stood for when it was pulled. */
  readonly tags: Readonly<Record<string, string>>;
  /** Names with the digest of a manifest or an index. */
  readonly digests: readonly string[];
  readonly size: number;
  readonly isPinned: boolean;
  /** When it was pulled or loaded first, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** Returns the image with further names. */
export function withNames(image: ImageRecord, tags: ImageRecord['tags'], digests: readonly string[]): ImageRecord {
  return { ...image, tags: { ...image.tags, ...tags }, digests: [...new Set([...image.digests, ...digests])] };
}

export function withoutTag(image: ImageRecord, tag: string): ImageRecord {
  const { [tag]: _, ...tags } = image.tags;
  return { ...image, tags };
}
