import type { Device, Mount } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';

/** What the machine has prepared for a container (`Machine.prepareContainer`). */
export interface ContainerSetup {
  readonly mounts: readonly Init<Mount>[];
  readonly devices: readonly Init<Device>[];
  /** Annotations besides the kubelet's own. */
  readonly annotations: Readonly<Record<string, string>>;
}
