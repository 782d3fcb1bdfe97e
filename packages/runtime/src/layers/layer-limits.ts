/** How much a layer may have, so that a hostile one fills neither memory nor disk. */
export interface LayerLimits {
  /** Bytes of the uncompressed archive. */
  readonly layerBytes: number;
  /** Entries of a layer, and directories above them that have no entry. */
  readonly entries: number;
  /** Bytes of a path, as the kernel's PATH_MAX. */
  readonly pathBytes: number;
  /** Directories in each other. */
  readonly depth: number;
  /** Bytes of one extended header: long names and extended attributes. */
  readonly extendedHeaderBytes: number;
  /** How many times larger than its compressed form a layer may be, once it is larger than `expansionFreeBytes`. gzip reaches a thousand. */
  readonly expansion: number;
  readonly expansionFreeBytes: number;
  /** Unpacking stops when the file system has less than this available. */
  readonly reservedBytes: number;
}

export const defaultLayerLimits: LayerLimits = {
  layerBytes: 64 * 2 ** 30,
  entries: 1_000_000,
  pathBytes: 4095,
  depth: 512,
  extendedHeaderBytes: 2 ** 20,
  expansion: 200,
  expansionFreeBytes: 2 ** 30,
  reservedBytes: 256 * 2 ** 20,
};
