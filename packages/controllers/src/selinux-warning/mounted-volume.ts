import type { CSIPersistentVolumeSource, FCVolumeSource, ISCSIVolumeSource, Volume } from '@coxswain/api/core/v1';

/** A volume that may be mounted with an SELinux label, which then applies to all of its files. */
export interface MountedVolume {
  /** Identifies the volume, whichever pod or PersistentVolume refers to it. */
  readonly uniqueName: string;
  /** The CSI driver that decides whether the volume is mounted with a label. Undefined for types that always support it. */
  readonly csiDriver?: string;
}

/** The fields that volumes of pods and PersistentVolumes have in common. */
export interface VolumeSources {
  readonly csi?: Pick<CSIPersistentVolumeSource, 'driver' | 'volumeHandle'>;
  readonly iscsi?: Pick<ISCSIVolumeSource, 'targetPortal' | 'iqn' | 'lun'>;
  readonly fc?: FCVolumeSource;
}

/** Returns undefined for volume types that are never mounted with a label, so that labels cannot conflict. */
export function mountedVolume({ csi, iscsi, fc }: VolumeSources): MountedVolume | undefined {
  if (csi) {
    return { uniqueName: `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`, csiDriver: csi.driver };
  }
  if (iscsi) return { uniqueName: `kubernetes.io/iscsi/${iscsi.targetPortal}:${iscsi.iqn}:${iscsi.lun}` };
  if (fc?.targetWWNs?.length && fc.lun !== undefined) {
    return { uniqueName: `kubernetes.io/fc/[${fc.targetWWNs.join(' ')}]:${fc.lun}` };
  }
  return fc?.wwids?.length ? { uniqueName: `kubernetes.io/fc/[${fc.wwids.join(' ')}]` } : undefined;
}

/** Returns the sources of a pod's inline volume. CSI inline volumes are not shared between pods and are omitted. */
export const inlineSources = ({ iscsi, fc }: Volume): VolumeSources => ({ ...(iscsi && { iscsi }), ...(fc && { fc }) });
