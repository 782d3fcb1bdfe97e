import type { Download } from '../content/index.ts';
import type { LayerContent } from '../layers/index.ts';
import type { Descriptor } from './image-manifest.ts';

/** A manifest, index or configuration, whose digest has been verified. */
export interface ImageDocument {
  readonly digest: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

/** Where the parts of an image come from: a registry, or an archive. */
export interface ImageSource {
  manifest(digest: string, signal?: AbortSignal): Promise<ImageDocument>;
  configuration(descriptor: Descriptor, signal?: AbortSignal): Promise<Buffer>;
  /** Opens a compressed or uncompressed layer. */
  layer(descriptor: Descriptor): Promise<SourceLayer>;
}

/** A layer that may be on its way. */
export interface SourceLayer extends LayerContent {
  /** Set if it is being downloaded. */
  readonly download?: Download;
}
