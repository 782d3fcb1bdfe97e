import type { MountEntry } from './mount-info.ts';

/** Mounts in the mount namespace of this process. Every call ends when its signal is aborted, and by itself after a time. */
export interface Mounter {
  /** Mounts a file system. Rejects with `MountError` and the words of the `mount` program if it fails. */
  mount(request: MountRequest, signal?: AbortSignal): Promise<void>;
  /** Makes a directory or file appear at `target` also. The target must exist, and be a directory if and only if the source is one. */
  bindMount(request: BindMountRequest, signal?: AbortSignal): Promise<void>;
  /** Changes the options of a mount, such as `ro`, without those of the file system. */
  remount(target: string, options: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Unmounts the topmost mount at `target`. Does nothing if nothing is mounted there, or if `target` is a symbolic link. */
  unmount(target: string, options?: UnmountOptions): Promise<void>;
  /** Makes a directory's mounts appear in the mount namespaces that are made of this one. Mounts the directory on itself if it is no mount point. */
  makeShared(target: string, signal?: AbortSignal): Promise<void>;
  list(): Promise<readonly MountEntry[]>;
  /**
   * Resolves to whether something is mounted at `path`. It does not follow a symbolic link at the end of the path, and does not touch
   * what is mounted, so it returns even if the server of a network file system is gone. False if the path does not exist.
   */
  isMountPoint(path: string): Promise<boolean>;
  /** Returns the mounts below a directory, without its own, so that each may be unmounted in turn: the last mounted first. */
  mountsBelow(directory: string): Promise<readonly MountEntry[]>;
}

export interface MountRequest {
  readonly source: string;
  readonly target: string;
  /** Undefined if the kernel must find it out. */
  readonly type?: string | undefined;
  readonly options?: readonly string[];
}

export interface BindMountRequest {
  /**
   * A symbolic link is followed. If a container can change the path, open it first (`openInside`) and use `pathOfDescriptor`: what was
   * opened is mounted then, whatever the path has become.
   */
  readonly source: string;
  readonly target: string;
  /** The mount is read-only; not those below it. */
  readonly readOnly?: boolean;
  /** Mounts below the source appear too. */
  readonly recursive?: boolean;
  /** Default: that of the mount which the target is in. */
  readonly propagation?: 'private' | 'rprivate' | 'rslave' | 'rshared';
}

export interface UnmountOptions {
  /** Removes the mount from the tree at once, even if it is in use; the kernel unmounts the file system when it is no longer used. */
  readonly lazy?: boolean;
  /** For a network file system whose server does not answer. */
  readonly force?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A failure of `mount` or `umount`. The message has the command and its output in the form that Kubernetes has in events. */
export class MountError extends Error {
  readonly status: number;
  readonly output: string;

  constructor(message: string, { status, output }: { readonly status: number; readonly output: string }) {
    super(message);
    this.name = 'MountError';
    this.status = status;
    this.output = output;
  }
}
