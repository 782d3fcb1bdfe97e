import type { Node, PersistentVolume, Pod, Volume } from '@coxswain/api/core/v1';
import type { Clock } from '@coxswain/client';
import type { ConfigSource } from '../config-source.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { VolumeHost } from '../files/volume-host.ts';
import type { PodDirectories } from '../pod-directories.ts';

/** A kind of volumes. */
export interface VolumePlugin {
  /** As in directories and messages, such as `kubernetes.io/empty-dir`. */
  readonly name: string;
  /** True if the contents follow objects of the API: then `setUp` is called again from time to time. */
  readonly isRefreshed: boolean;
  /** How to find out how much of a volume is used. Undefined if it says nothing about the pod. */
  readonly usage: 'walk' | 'statfs' | undefined;
  supports(spec: VolumeSpec): boolean;
  /**
   * Makes the volume usable, or brings its contents up to date. Completes what an earlier call, perhaps of an earlier process, has left
   * undone, and leaves alone what is mounted. Rejects with the reason, in words for people.
   */
  setUp(request: SetUpRequest): Promise<UsableVolume>;
  /** Unmounts and removes what `setUp` has made. Does nothing if there is nothing. Must not need the pod: it may be gone. */
  tearDown(volume: VolumeOnDisk): Promise<void>;
}

/** A volume as a plug-in sees it: one that is written in the pod, or a persistent one that a claim of the pod is bound to. */
export interface VolumeSpec {
  /** Name of the volume's directory: that in the pod, or of the PersistentVolume. */
  readonly name: string;
  readonly volume?: Volume;
  readonly persistentVolume?: PersistentVolume;
  /** Nothing may be written to it, whatever containers ask for. */
  readonly readOnly: boolean;
}

export interface VolumeOnDisk {
  readonly podUid: string;
  readonly name: string;
  /** The volume's own directory. The plug-in creates and removes it, if it needs one. */
  readonly directory: string;
}

export interface SetUpRequest extends VolumeOnDisk {
  readonly pod: Pod;
  readonly spec: VolumeSpec;
  /** The group that owns the files. */
  readonly fsGroup: number | undefined;
  /** The user who all containers of the pod run as, if there is one. */
  readonly fsUser: number | undefined;
  readonly onlyOnRootMismatch: boolean;
  readonly signal: AbortSignal;
}

/** A volume that containers can be started with. */
export interface UsableVolume {
  /** What containers get to see. Empty for volumes that the container runtime mounts. */
  readonly path: string;
  readonly readOnly: boolean;
}

/** What all plug-ins work with. */
export interface PluginContext {
  readonly host: VolumeHost;
  readonly files: FileSystem;
  readonly clock: Clock;
  readonly config: ConfigSource;
  readonly directories: PodDirectories;
  node(): Node | undefined;
  /** True if the kernel lets a tmpfs say that it is never swapped out. */
  readonly canRefuseSwap: boolean;
}
