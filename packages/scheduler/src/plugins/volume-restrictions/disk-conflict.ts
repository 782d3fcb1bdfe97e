import type { Pod, Volume } from '@coxswain/api/core/v1';

/** Whether the volume is a disk that pods on a node cannot freely share. */
const isExclusive = (volume: Volume): boolean =>
  !!(volume.gcePersistentDisk || volume.awsElasticBlockStore || volume.rbd || volume.iscsi);

/** The pod's volumes whose disk other pods on the node must not use. */
export const exclusiveVolumes = ({ spec }: Pod): readonly Volume[] => spec?.volumes?.filter(isExclusive) ?? [];

/** Whether the pod uses a disk of these volumes in a conflicting way. */
export function usesDiskOf({ spec }: Pod, volumes: readonly Volume[]): boolean {
  if (!spec?.volumes) return false;
  for (const used of spec.volumes) for (const volume of volumes) if (conflict(volume, used)) return true;
  return false;
}

interface ReadOnly {
  readonly readOnly?: boolean;
}

/** Read-only mounts can be shared. */
const isShared = (a: ReadOnly, b: ReadOnly): boolean => !!a.readOnly && !!b.readOnly;

function conflict(a: Volume, b: Volume): boolean {
  if (a.gcePersistentDisk && b.gcePersistentDisk) {
    const [disk, other] = [a.gcePersistentDisk, b.gcePersistentDisk];
    return disk.pdName === other.pdName && !isShared(disk, other);
  }
  if (a.awsElasticBlockStore && b.awsElasticBlockStore) {
    return a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID;
  }
  if (a.iscsi && b.iscsi) return a.iscsi.iqn === b.iscsi.iqn && !isShared(a.iscsi, b.iscsi);
  if (a.rbd && b.rbd) {
    const [image, other] = [a.rbd, b.rbd];
    return (
      image.monitors.some((monitor) => other.monitors.includes(monitor)) &&
      image.pool === other.pool &&
      image.image === other.image &&
      !isShared(image, other)
    );
  }
  return false;
}
