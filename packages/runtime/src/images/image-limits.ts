/** How large the parts of an image may be, apart from its layers. */
export interface ImageLimits {
  readonly manifestBytes: number;
  readonly configurationBytes: number;
  /** Bytes of all compressed layers together. */
  readonly imageBytes: number;
  /** Indexes in indexes. */
  readonly indexDepth: number;
  /** Entries of an archive of images. */
  readonly archiveEntries: number;
}

export const defaultImageLimits: ImageLimits = {
  manifestBytes: 4 * 2 ** 20,
  configurationBytes: 4 * 2 ** 20,
  imageBytes: 64 * 2 ** 30,
  indexDepth: 4,
  archiveEntries: 20_000,
};
