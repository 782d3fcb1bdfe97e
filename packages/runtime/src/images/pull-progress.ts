/** How far a layer of an image is. */
export interface LayerProgress {
  /** The digest of the compressed layer. */
  readonly digest: string;
  readonly state: 'waiting' | 'downloading' | 'unpacking' | 'done' | 'exists';
  /** Bytes that have arrived. */
  readonly bytes: number;
  readonly total: number;
}

/** Called whenever a layer gets further. It must not throw. */
export type OnProgress = (progress: LayerProgress) => void;
