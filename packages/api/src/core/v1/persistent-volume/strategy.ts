import { ownEntry, Path, timeFromDate } from '@coxswain/apimachinery';
import type { PersistentVolume } from '../../../generated/core/v1.ts';
import { translateTimestampSince } from '../../../strategy/print.ts';
import type { Strategy } from '../../../strategy/strategy.ts';
import { columns, type TablePrinter } from '../../../strategy/table.ts';
import { printAccessModes } from '../access-modes.ts';
import { nodeSelectorTermWarnings } from '../node-label-warnings.ts';
import { quantityOf, roundUpToMilli } from '../resources/resource-list.ts';
import { storageClassAnnotation } from '../storage-class-annotation.ts';
import { setPersistentVolumeSourceDefaults } from '../volume/source-defaults.ts';
import { mountOptionsAnnotation, validatePersistentVolume, validatePersistentVolumeUpdate } from './validation.ts';

export function setPersistentVolumeDefaults(volume: PersistentVolume): void {
  volume.status ??= {};
  volume.status.phase ??= 'Pending';
  volume.spec ??= {};
  const { spec } = volume;
  spec.persistentVolumeReclaimPolicy ??= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  roundUpToMilli(spec.capacity);
  setPersistentVolumeSourceDefaults(spec);
}

const deprecatedAnnotations = [
  [storageClassAnnotation, 'deprecated since v1.8; use "storageClassName" attribute instead'],
  [mountOptionsAnnotation, 'deprecated since v1.31; use "mountOptions" attribute instead'],
] as const;

const deprecatedSources = [
  ['cephfs', 'spec.cephfs: deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'spec.scaleIO: deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'spec.storageOS: deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'spec.rbd: deprecated in v1.28, non-functional in v1.31+'],
] as const;

function warningsForVolume({ metadata, spec = {} }: PersistentVolume): string[] {
  const termsPath = Path.of('spec', 'nodeAffinity', 'required', 'nodeSelectorTerms');
  return [
    ...deprecatedAnnotations
      .filter(([key]) => ownEntry(metadata.annotations, key) !== undefined)
      .map(([key, message]) => `metadata.annotations[${key}]: ${message}`),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      nodeSelectorTermWarnings(term, false, termsPath.index(i)),
    ),
    ...deprecatedSources.filter(([name]) => spec[name]).map(([, message]) => message),
  ];
}

const persistentVolumeTable: TablePrinter<PersistentVolume> = {
  columns: columns(
    'Name',
    'Capacity',
    'Access Modes',
    'Reclaim Policy',
    'Status',
    'Claim',
    'StorageClass',
    'VolumeAttributesClass',
    'Reason',
    'Age',
    'VolumeMode (wide)',
  ),
  row({ metadata, spec = {}, status }, context) {
    const { claimRef } = spec;
    return [
      metadata.name ?? '',
      quantityOf(spec.capacity, 'storage').toString(),
      printAccessModes(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
      claimRef ? `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}` : '',
      ownEntry(metadata.annotations, storageClassAnnotation) ?? spec.storageClassName ?? '',
      spec.volumeAttributesClassName ?? '<unset>',
      status?.reason ?? '',
      translateTimestampSince(metadata.creationTimestamp, context),
      spec.volumeMode ?? '<unset>',
    ];
  },
};

export const persistentVolumeStrategy: Strategy<PersistentVolume> = {
  revalidatesMetadata: true,
  prepareForCreate(volume, context) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: timeFromDate(context.now()) };
  },
  validate: validatePersistentVolume,
  validateUpdate: validatePersistentVolumeUpdate,
  warningsOnCreate: warningsForVolume,
  warningsOnUpdate: warningsForVolume,
  subresources: {
    status: {
      owns: ['status'],
      // The server sets the time of a phase change, unless the client sets another one.
      prepareForUpdate(volume, old, context) {
        const { status = {} } = volume;
        const before = old.status?.lastPhaseTransitionTime;
        const time = status.lastPhaseTransitionTime;
        if (status.phase === old.status?.phase) volume.status = { ...status, lastPhaseTransitionTime: time ?? before };
        else if (time === undefined || time === before)
          volume.status = { ...status, lastPhaseTransitionTime: timeFromDate(context.now()) };
      },
    },
  },
  table: persistentVolumeTable,
};
