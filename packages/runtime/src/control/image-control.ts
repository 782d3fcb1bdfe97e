import { stream, unary } from '@coxswain/grpc';
import { int64, struct, text, texts } from '@coxswain/grpc/protobuf';

export interface PullImageRequest {
  readonly image: string;
  readonly username: string;
  readonly password: string;
}
const PullImageRequest = struct<PullImageRequest>(() => ({ image: text(1), username: text(2), password: text(3) }));

export interface LoadImagesRequest {
  /** A file on the machine of the runtime. */
  readonly path: string;
}
const LoadImagesRequest = struct<LoadImagesRequest>(() => ({ path: text(1) }));

/** How far a layer is, or, at the end, the images. */
export interface ImageProgress {
  /** The digest of the layer; empty in the last message. */
  readonly layer: string;
  readonly state: string;
  readonly bytes: number;
  readonly total: number;
  /** The names of the images, or their ids if they have none. Only in the last message. */
  readonly images: readonly string[];
}
const ImageProgress = struct<ImageProgress>(() => ({
  layer: text(1),
  state: text(2),
  bytes: int64(3),
  total: int64(4),
  images: texts(5),
}));

const PruneImagesRequest = struct<object>(() => ({}));

export interface PruneImagesResponse {
  /** The names of the removed images, or their ids if they had none. */
  readonly images: readonly string[];
}
const PruneImagesResponse = struct<PruneImagesResponse>(() => ({ images: texts(1) }));

/** What people do with images and CRI has no call for: pulls with progress, archives, removal of all that is unused. */
export const imageControl = {
  name: 'coxswain.runtime.v1.ImageControl',
  methods: {
    pullImage: stream('PullImage', PullImageRequest, ImageProgress),
    loadImages: stream('LoadImages', LoadImagesRequest, ImageProgress),
    pruneImages: unary('PruneImages', PruneImagesRequest, PruneImagesResponse),
  },
};
