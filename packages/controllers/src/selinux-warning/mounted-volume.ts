import type { CSIPersistentVolumeSource, FCVolumeSource, ISCSIVolumeSource, Volume } from '@coxswain/api/core/v1';

/** A volume that may be mounted with an SELinux label, which then all its files have. */
export interface MountedVolume {
  /** The same for all who mean the same volume. */
  readonly uniqueName: string;
  /** Whether it can be mounted so is for the driver to say; undefined where it always can. */
  readonly csiDriver?: string;
}

/** As far as volumes of pods and PersistentVolumes have it in common. */
export interface VolumeSources {
  readonly csi?: Pick<CSIPersistentVolumeSource, 'driver' | 'volumeHandle'>;
  readonly iscsi?: Pick<ISCSIVolumeSource, 'targetPortal' | 'iqn' | 'lun'>;
  readonly fc?: FCVolumeSource;
}

/** Undefined for volumes of a sort that is never mounted with a label: there, nobody is in another's way. */
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

/** Of a volume that a pod has without a claim. Drivers that make such volumes make one for each pod. */
export const inlineSources = ({ iscsi, fc }: Volume): VolumeSources => ({ ...(iscsi && { iscsi }), ...(fc && { fc }) });
