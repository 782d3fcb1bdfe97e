import type { ImageConfiguration } from './image-configuration.ts';

/** An image that is complete on this node. */
export interface StoredImage {
  /** The digest of its configuration, `sha256:…`. */
  readonly id: string;
  /** Normalized names with a tag: `docker.io/library/nginx:1`. */
  readonly repoTags: readonly string[];
  /** Normalized names with the digest of the manifest or index that was pulled: `docker.io/library/nginx@sha256:…`. */
  readonly repoDigests: readonly string[];
  /** Bytes of the compressed layers, of the manifest and of the configuration. */
  readonly size: number;
  readonly isPinned: boolean;
  readonly configuration: ImageConfiguration;
}

/** What runs containers needs of the images of a node. Pulls, imports and removals are the image service's. */
export interface ImageStore {
  /** Finds an image by any name that a person may write, by a name with a digest, or by its id (a unique beginning is enough). */
  find(image: string): Promise<StoredImage | undefined>;
}
