/** What volumes need of the machine and Node lacks. `@coxswain/linux` has it all. */
export interface VolumeHost {
  readonly mounter: VolumeMounter;
  readonly subPaths: VolumeSubPaths;
  /** Gives all files of a volume to a group, without following symbolic links. */
  setVolumeOwnership(directory: string, options: OwnershipOptions): Promise<unknown>;
  /** Counts what a directory and everything below it takes on its file system. */
  diskUsage(directory: string, signal?: AbortSignal): Promise<{ readonly bytes: number; readonly inodes: number }>;
  fileSystemUsage(path: string): Promise<FileSystemUsage>;
}

export interface VolumeMounter {
  mount(request: MountRequest, signal?: AbortSignal): Promise<void>;
  bindMount(request: BindMountRequest, signal?: AbortSignal): Promise<void>;
  /** Unmounts the topmost mount at `target`. Does nothing if nothing is mounted there, or if `target` is a symbolic link. */
  unmount(target: string): Promise<void>;
  /** False if the path does not exist or is a symbolic link. Does not touch what is mounted. */
  isMountPoint(path: string): Promise<boolean>;
  /** Returns the mounts below a directory, without its own: the last mounted first. */
  mountsBelow(directory: string): Promise<readonly { readonly mountPoint: string }[]>;
}

interface MountRequest {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly options?: readonly string[];
}

interface BindMountRequest {
  readonly source: string;
  readonly target: string;
  readonly readOnly?: boolean;
  /** Mounts below the source appear too. */
  readonly recursive?: boolean;
}

export interface VolumeSubPaths {
  /** Makes the directory of a `subPath` if nothing is there, with the volume's own mode, and never outside of the volume. */
  makeDirectory(volumePath: string, subPath: string): Promise<void>;
  /** Bind-mounts what a `subPath` leads to, and returns where. Rejects if it leads out of the volume. */
  prepare(subPath: SubPath, signal?: AbortSignal): Promise<string>;
  /** Undoes every `prepare` of a volume of a pod. */
  clean(podDirectory: string, volumeName: string, signal?: AbortSignal): Promise<void>;
}

interface SubPath {
  readonly volumePath: string;
  readonly subPath: string;
  readonly podDirectory: string;
  readonly volumeName: string;
  readonly containerName: string;
  readonly volumeMountIndex: number;
}

interface OwnershipOptions {
  readonly fsGroup: number;
  readonly readOnly?: boolean;
  readonly policy?: 'Always' | 'OnRootMismatch';
  readonly signal?: AbortSignal | undefined;
}

interface FileSystemUsage {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly inodesUsed: number;
}
