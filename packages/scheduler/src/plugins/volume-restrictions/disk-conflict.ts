import type { Pod, Volume } from '@coxswain/api/core/v1';

/** Disks that not everybody can use at once. */
const isExclusive = (volume: Volume): boolean =>
  !!(volume.gcePersistentDisk || volume.awsElasticBlockStore || volume.rbd || volume.iscsi);

/** The pod's volumes of which others on the same node must not have the same disk. */
export const exclusiveVolumes = ({ spec }: Pod): readonly Volume[] => spec?.volumes?.filter(isExclusive) ?? [];

/** Whether a pod uses a disk of these volumes in a way that leaves no place for another. */
export function usesDiskOf({ spec }: Pod, volumes: readonly Volume[]): boolean {
  if (!spec?.volumes) return false;
  for (const used of spec.volumes) for (const volume of volumes) if (conflict(volume, used)) return true;
  return false;
}

interface ReadOnly {
  readonly readOnly?: boolean;
}

/** What all only read can be read by many. */
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
