import type { DNSConfig } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';

/** What the machine has prepared for a pod's sandbox (`Machine.preparePod`). */
export interface PodSetup {
  /** Parent of the cgroups of the pod's containers; empty if the runtime chooses. */
  readonly cgroupParent: string;
  /** Where the runtime writes the logs of the pod's containers. */
  readonly logDirectory: string;
  /** Undefined if the runtime's own is used. */
  readonly dns: Init<DNSConfig> | undefined;
  readonly clusterDomain: string;
  /** For events of the pod. */
  readonly warnings: readonly PodWarning[];
}

export interface PodWarning {
  readonly reason: string;
  readonly message: string;
}
