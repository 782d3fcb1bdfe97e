import type { MachineFigures } from './machine-figures.ts';
import type { PodReference, VolumeStats } from './summary.ts';

/** What is known of a node besides what its runtime tells. */
export interface NodeStatsSources {
  readonly figures: MachineFigures;
  /** The kubelet's directory: its file system is the node's. */
  readonly rootDirectory: string;
  /** The directory of a container's logs. */
  logDirectory(pod: PodReference, container: string): string;
  /** How full a pod's mounted volumes are. */
  volumes(podUid: string): Promise<readonly VolumeStats[]>;
}
