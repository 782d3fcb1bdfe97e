import { createHash } from 'node:crypto';
import type { Node, PersistentVolume } from '@coxswain/api/core/v1';

const namePrefix = 'kubernetes.io/csi/';

/** Returns the name of the volume in a node's status. */
export function uniqueVolumeName({ spec }: PersistentVolume): string | undefined {
  return spec?.csi && `${namePrefix}${spec.csi.driver}^${spec.csi.volumeHandle}`;
}

/** Returns the name of the VolumeAttachment that attaches the volume to the node. */
export function attachmentName(uniqueName: string, nodeName: string): string {
  const [driver = '', handle = ''] = uniqueName.slice(namePrefix.length).split('^', 2);
  return `csi-${createHash('sha256').update(`${handle}${driver}${nodeName}`).digest('hex')}`;
}

export const isCsiVolumeName = (uniqueName: string): boolean => uniqueName.startsWith(namePrefix);

/** Whether the volume may be attached to several nodes at once. A volume without access modes may. */
export function mayMultiAttach({ spec }: PersistentVolume): boolean {
  const accessModes = spec?.accessModes ?? [];
  return accessModes.length === 0 || accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}

/** Whether the node's kubelet leaves attaching volumes to this controller. */
export const isManaged = ({ metadata }: Node): boolean =>
  metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach'] !== undefined;

export const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;

export const isOutOfService = ({ spec }: Node): boolean =>
  spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') ?? false;
