import type { DNSConfig } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';

/** What the machine has prepared for a pod's sandbox (`Machine.preparePod`). */
export interface PodSetup {
  /** The parent of the cgroups of the pod's containers. Empty if the runtime chooses it. */
  readonly cgroupParent: string;
  /** The directory in which the runtime writes the logs of the pod's containers. */
  readonly logDirectory: string;
  /** The pod's DNS configuration. If undefined, the runtime uses its own. */
  readonly dns: Init<DNSConfig> | undefined;
  readonly clusterDomain: string;
  /** Warnings to record as events of the pod. */
  readonly warnings: readonly PodWarning[];
}

export interface PodWarning {
  readonly reason: string;
  readonly message: string;
}
