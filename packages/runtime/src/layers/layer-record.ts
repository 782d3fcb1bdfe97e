/** `layers/<hex>/layer.json`: a layer that is unpacked in the directory `fs` beside it. */
export interface LayerRecord {
  /** Names the layer together with those below it: the digest of their digests, as the image specification defines it. */
  readonly chainId: string;
  /** The chain id of the layers below; empty for the lowest. */
  readonly parent: string;
  /** The digest of the uncompressed archive. */
  readonly diffId: string;
  /** What was downloaded; empty if it came from an archive of images. */
  readonly digest: string;
  /** Bytes of the compressed archive. */
  readonly compressedBytes: number;
  /** Bytes of the uncompressed archive. */
  readonly bytes: number;
  /** About as much as its files take on a disk. */
  readonly diskBytes: number;
  readonly inodes: number;
  /** What the layer removes of those below, for file systems without overlays. Names are in base64, because they need not be text. */
  readonly whiteouts: readonly string[];
  readonly opaqueDirectories: readonly string[];
  /** The attribute that marks opaque directories in it. */
  readonly opaqueAttribute: string;
  /** Of the boot in which it was unpacked. It may have been lost by a power failure if it is of another boot and not on disk. */
  readonly bootId: string;
  /** Everything had been written to the disk when this was. */
  readonly isOnDisk: boolean;
}
