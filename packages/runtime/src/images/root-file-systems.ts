/** How much a container has written. */
export interface WritableLayerUsage {
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

/** A mounted root file system of a container. */
export interface RootFileSystem {
  /** The mount point. */
  readonly path: string;
}

/**
 * The root file systems of containers and image volumes: the layers of an image below a directory that takes the changes.
 *
 * Each is recorded on disk before it is mounted, so that one that is left by a crash is found by `list` and removed by `remove`. While a root
 * file system exists, its image's layers are not removed.
 */
export interface RootFileSystems {
  /** Makes and mounts one. Does nothing if the one with this id exists; mounts it again if it is not mounted (after a reboot). */
  make(id: string, imageId: string, signal?: AbortSignal): Promise<RootFileSystem>;
  /** Mounts the layers of an image at a directory, read-only, for volumes of the type `image`. */
  makeReadOnly(id: string, imageId: string, signal?: AbortSignal): Promise<RootFileSystem>;
  /** Unmounts one and removes its changes. Does nothing if there is none. */
  remove(id: string): Promise<void>;
  /** Ids of all that were made and not removed. */
  list(): Promise<readonly string[]>;
  usage(id: string): Promise<WritableLayerUsage>;
}
