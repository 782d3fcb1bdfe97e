import { ownEntry, Path, quote, Scale } from '@coxswain/apimachinery';
import type { FeatureGates } from '../../../features/feature-gates.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
} from '../../../generated/core/v1.ts';
import { translateTimestampSince } from '../../../strategy/print.ts';
import type { Strategy, StrategyContext } from '../../../strategy/strategy.ts';
import { columns, type TablePrinter } from '../../../strategy/table.ts';
import { printAccessModes } from '../access-modes.ts';
import { quantityOf, roundUpToMilli } from '../resources/resource-list.ts';
import { storageClassAnnotation } from '../storage-class-annotation.ts';
import {
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimStatus,
  validatePersistentVolumeClaimUpdate,
} from './validation.ts';

/** Sets the defaults of a claim's spec, also inside a template. */
export function setPersistentVolumeClaimSpecDefaults(spec: PersistentVolumeClaimSpec): void {
  spec.volumeMode ??= 'Filesystem';
  roundUpToMilli(spec.resources?.limits);
  roundUpToMilli(spec.resources?.requests);
}

export function setPersistentVolumeClaimDefaults(claim: PersistentVolumeClaim): void {
  claim.spec ??= {};
  claim.status ??= {};
  setPersistentVolumeClaimSpecDefaults(claim.spec);
  claim.status.phase ??= 'Pending';
  roundUpToMilli(claim.status.capacity);
  roundUpToMilli(claim.status.allocatedResources);
}

/** Drops a data source in another namespace while that feature is off, unless the old claim has a dataSourceRef. */
function dropDisabledClaimFields(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
  features: FeatureGates,
): void {
  if (!spec.dataSourceRef?.namespace || old?.dataSourceRef) return;
  if (!features.enabled('CrossNamespaceVolumeDataSource')) spec.dataSourceRef = undefined;
}

/** Reports whether the reference is to a claim or snapshot. `dataSource` supports no other kinds and is dropped if it has one. */
function isClaimOrSnapshot({ kind, apiGroup }: TypedLocalObjectReference): boolean {
  return (
    (kind === 'PersistentVolumeClaim' && !apiGroup) ||
    (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')
  );
}

function prepareDataSources(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim | undefined,
  context: StrategyContext,
): void {
  claim.spec ??= {};
  const { spec } = claim;
  dropDisabledClaimFields(spec, old?.spec, context.features);
  const hadSource = old?.spec?.dataSource ?? old?.spec?.dataSourceRef;
  if (!hadSource && !spec.dataSourceRef && spec.dataSource && !isClaimOrSnapshot(spec.dataSource))
    spec.dataSource = undefined;
  // Each of the two fields is copied to the other, for clients that know only one.
  if (!spec.dataSourceRef && spec.dataSource) spec.dataSourceRef = { ...spec.dataSource };
  else if (!spec.dataSource && spec.dataSourceRef && !spec.dataSourceRef.namespace) {
    const { namespace: _, ...source } = spec.dataSourceRef;
    spec.dataSource = source;
  }
}

/** Warns of storage amounts that are not whole numbers of bytes. */
export function warningsForPersistentVolumeClaimSpec(spec: PersistentVolumeClaimSpec, path: Path): string[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const amount = quantityOf(spec.resources?.[list], 'storage');
    if (amount.scaledValue(Scale.Milli) % 1000n === 0n) return [];
    const at = path.child('resources', list).key('storage');
    return [`${at}: fractional byte value ${quote(amount.toString())} is invalid, must be an integer`];
  });
}

function warningsForClaim({ metadata, spec = {} }: PersistentVolumeClaim): string[] {
  const isDeprecated = ownEntry(metadata.annotations, storageClassAnnotation) !== undefined;
  const deprecation = `metadata.annotations[${storageClassAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`;
  return [...(isDeprecated ? [deprecation] : []), ...warningsForPersistentVolumeClaimSpec(spec, Path.of('spec'))];
}

const persistentVolumeClaimTable: TablePrinter<PersistentVolumeClaim> = {
  columns: columns(
    'Name',
    'Status',
    'Volume',
    'Capacity',
    'Access Modes',
    'StorageClass',
    'VolumeAttributesClass',
    'Age',
    'VolumeMode (wide)',
  ),
  row({ metadata, spec = {}, status }, context) {
    const isBound = !!spec.volumeName;
    return [
      metadata.name ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
      spec.volumeName ?? '',
      isBound ? quantityOf(status?.capacity, 'storage').toString() : '',
      isBound ? printAccessModes(status?.accessModes) : '',
      ownEntry(metadata.annotations, storageClassAnnotation) ?? spec.storageClassName ?? '',
      spec.volumeAttributesClassName ?? '<unset>',
      translateTimestampSince(metadata.creationTimestamp, context),
      spec.volumeMode ?? '<unset>',
    ];
  },
};

export const persistentVolumeClaimStrategy: Strategy<PersistentVolumeClaim> = {
  revalidatesMetadata: true,
  prepareForCreate: (claim, context) => prepareDataSources(claim, undefined, context),
  prepareForUpdate: prepareDataSources,
  validate: validatePersistentVolumeClaim,
  validateUpdate: validatePersistentVolumeClaimUpdate,
  warningsOnCreate: warningsForClaim,
  warningsOnUpdate: warningsForClaim,
  subresources: {
    status: { owns: ['status'], validateUpdate: validatePersistentVolumeClaimStatus },
  },
  table: persistentVolumeClaimTable,
};
