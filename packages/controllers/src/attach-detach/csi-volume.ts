import { createHash } from 'node:crypto';
import type { Node, PersistentVolume } from '@coxswain/api/core/v1';

const namePrefix = 'kubernetes.io/csi/';

/** The name that a node's status has the volume under. */
export function uniqueVolumeName({ spec }: PersistentVolume): string | undefined {
  return spec?.csi && `${namePrefix}${spec.csi.driver}^${spec.csi.volumeHandle}`;
}

/** The name of the VolumeAttachment by which the volume is attached to the node. */
export function attachmentName(uniqueName: string, nodeName: string): string {
  const [driver = '', handle = ''] = uniqueName.slice(namePrefix.length).split('^', 2);
  return `csi-${createHash('sha256').update(`${handle}${driver}${nodeName}`).digest('hex')}`;
}

export const isCsiVolumeName = (uniqueName: string): boolean => uniqueName.startsWith(namePrefix);

/** Whether it may be attached to several nodes at once. Who does not say is let try. */
export function mayMultiAttach({ spec }: PersistentVolume): boolean {
  const accessModes = spec?.accessModes ?? [];
  return accessModes.length === 0 || accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}

/** Its kubelet leaves it to the controller to attach volumes. */
export const isManaged = ({ metadata }: Node): boolean =>
  metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach'] !== undefined;

export const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;

export const isOutOfService = ({ spec }: Node): boolean =>
  spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') ?? false;
