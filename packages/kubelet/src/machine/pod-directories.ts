import type { Pod } from '@coxswain/api/core/v1';
import { PodDirectories as VolumeDirectories } from '../volumes/pod-directories.ts';

/** Where a node has what belongs to pods. The layout is upstream's, so either kubelet can take over a node from the other. */
export class PodDirectories extends VolumeDirectories {
  /** Parent of the log directories of all pods. */
  readonly podLogs: string;

  /** `root`: the kubelet's directory; `podLogs`: where the runtime writes the logs of all pods. */
  constructor(root: string, podLogs: string) {
    super(root);
    this.podLogs = podLogs;
  }

  hostsFile(podUid: string): string {
    return `${this.pod(podUid)}/etc-hosts`;
  }

  /** Holds the termination logs of a container's runs. The name comes from the API server, which has validated it. */
  container(podUid: string, name: string): string {
    return `${this.pod(podUid)}/containers/${name}`;
  }

  logs({ metadata: { namespace = '', name = '', uid = '' } }: Pod): string {
    return `${this.podLogs}/${namespace}_${name}_${uid}`;
  }
}
