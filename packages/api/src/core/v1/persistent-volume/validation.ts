import {
  type ErrorList,
  forbidden,
  invalid,
  isValidLabelValue,
  nameIsDnsSubdomain,
  notSupported,
  ownEntry,
  Path,
  Quantity,
  required,
  semanticEqual,
  validateImmutableField,
} from '@coxswain/apimachinery';
import type { NodeSelectorTerm, PersistentVolume, PersistentVolumeSpec } from '../../../generated/core/v1.ts';
import type { StrategyContext } from '../../../strategy/strategy.ts';
import { validateAccessModes } from '../access-modes.ts';
import { invalidEach, sortedEntries, unlessSupported } from '../checks.ts';
import { internalDiff } from '../internal-form/internal-diff.ts';
import { internalForm } from '../internal-form/internal-form.ts';
import { validateNodeSelector } from '../node-selector.ts';
import { validateBasicResource } from '../resources/resource-list.ts';
import { validatePositiveQuantity } from '../resources/resource-requirements.ts';
import { sourceNames, validateSource } from './sources.ts';

export const mountOptionsAnnotation = 'volume.beta.kubernetes.io/mount-options';
export const volumeModes = ['Block', 'Filesystem'];
const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];
const path = Path.of('spec');

export interface PersistentVolumeSpecOptions {
  /** The spec is inline in a VolumeAttachment: it must be a CSI volume, without the fields that concern claims. */
  readonly inline?: boolean;
  /** The old volume has invalid label values, so they are allowed. */
  readonly allowInvalidLabelValue?: boolean;
}

/** Validates a volume's spec. `name` is the volume's name, which counts towards the length limits of some sources. */
export function validatePersistentVolumeSpec(
  spec: PersistentVolumeSpec,
  name: string,
  at: Path,
  options: PersistentVolumeSpecOptions,
): ErrorList {
  const { accessModes = [], nodeAffinity } = spec;
  const errors = options.inline ? validateInline(spec, at) : [];
  if (accessModes.length === 0) errors.push(required(at.child('accessModes')));
  errors.push(...validateAccessModes(accessModes, at.child('accessModes')));
  if (!options.inline) {
    errors.push(...validateCapacity(spec, at.child('capacity')));
    const policy = spec.persistentVolumeReclaimPolicy;
    if (policy) errors.push(...unlessSupported(at.child('persistentVolumeReclaimPolicy'), policy, reclaimPolicies));
  } else if (spec.persistentVolumeReclaimPolicy && spec.persistentVolumeReclaimPolicy !== 'Retain') {
    const detail = 'may only be Retain in the context of inline volumes';
    errors.push(forbidden(at.child('persistentVolumeReclaimPolicy'), detail));
  }
  if (nodeAffinity && options.inline) errors.push(forbiddenInline(at.child('nodeAffinity')));
  else if (nodeAffinity?.required) {
    const requiredPath = at.child('nodeAffinity', 'required');
    errors.push(...validateNodeSelector(nodeAffinity.required, options.allowInvalidLabelValue ?? false, requiredPath));
  } else if (nodeAffinity) {
    errors.push(required(at.child('nodeAffinity', 'required'), 'must specify required node constraints'));
  }
  errors.push(...validateSource(spec, name, at));
  if (spec.hostPath && isRoot(spec.hostPath.path) && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    errors.push(forbidden(at.child('persistentVolumeReclaimPolicy'), detail));
  }
  return [...errors, ...validateClasses(spec, at, options)];
}

const forbiddenInline = (at: Path) => forbidden(at, 'may not be specified in the context of inline volumes');

function validateInline({ claimRef, capacity = {}, csi }: PersistentVolumeSpec, at: Path): ErrorList {
  return [
    ...(claimRef ? [forbiddenInline(at.child('claimRef'))] : []),
    ...(Object.keys(capacity).length > 0 ? [forbiddenInline(at.child('capacity'))] : []),
    ...(csi ? [] : [required(at.child('csi'), 'has to be specified in the context of inline volumes')]),
  ];
}

/** Validates the capacity, which must consist of storage only. */
function validateCapacity({ capacity }: PersistentVolumeSpec, at: Path): ErrorList {
  const entries = sortedEntries(capacity);
  const errors: ErrorList = entries.length === 0 ? [required(at)] : [];
  if (ownEntry(capacity, 'storage') === undefined || entries.length > 1)
    errors.push(notSupported(at, capacity && Object.fromEntries(entries), ['storage']));
  for (const [name, text] of entries) {
    const amount = Quantity.parse(text);
    errors.push(...validateBasicResource(amount, at.key(name)), ...validatePositiveQuantity(amount, at.key(name)));
  }
  return errors;
}

/** Reports whether a path resolves to `/`. */
function isRoot(target: string): boolean {
  if (!target.startsWith('/')) return false;
  let depth = 0;
  for (const part of target.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1);
    else if (part !== '' && part !== '.') depth++;
  }
  return depth === 0;
}

function validateClasses(spec: PersistentVolumeSpec, at: Path, options: PersistentVolumeSpecOptions): ErrorList {
  const { storageClassName, volumeMode, volumeAttributesClassName, csi } = spec;
  const errors: ErrorList = [];
  const classPath = at.child('storageClassName');
  if (storageClassName && options.inline) errors.push(forbiddenInline(classPath));
  else if (storageClassName)
    errors.push(...invalidEach(classPath, storageClassName, nameIsDnsSubdomain(storageClassName, false)));
  const modePath = at.child('volumeMode');
  if (volumeMode !== undefined && !options.inline) errors.push(...unlessSupported(modePath, volumeMode, volumeModes));
  else if (volumeMode !== undefined && volumeMode !== 'Filesystem')
    errors.push(
      forbidden(modePath, 'may not specify volumeMode other than Filesystem in the context of inline volumes'),
    );
  if (volumeAttributesClassName === undefined) return errors;
  const attributesPath = at.child('volumeAttributesClassName');
  if (volumeAttributesClassName === '') errors.push(required(attributesPath, 'an empty string is disallowed'));
  else {
    const messages = nameIsDnsSubdomain(volumeAttributesClassName, false);
    errors.push(...invalidEach(attributesPath, volumeAttributesClassName, messages));
  }
  if (!csi) errors.push(required(at.child('csi'), 'has to be specified when using volumeAttributesClassName'));
  return errors;
}

/** Returns the options for validating an update of this volume. */
const optionsFor = (old: PersistentVolume): PersistentVolumeSpecOptions => ({
  allowInvalidLabelValue: old.spec?.nodeAffinity?.required?.nodeSelectorTerms?.some(hasInvalidLabelValue) ?? false,
});

const hasInvalidLabelValue = ({ matchExpressions = [] }: NodeSelectorTerm): boolean =>
  matchExpressions.some(({ values = [] }) => values.some((value) => isValidLabelValue(value).length > 0));

/** Sources that support mount options, also as an annotation. */
const withMountOptions: readonly string[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

function validateMountOptions({ metadata, spec = {} }: PersistentVolume): ErrorList {
  if (ownEntry(metadata.annotations, mountOptionsAnnotation) === undefined) return [];
  if (sourceNames.some((name) => spec[name] && withMountOptions.includes(name))) return [];
  const at = Path.of('metadata', 'annotations', mountOptionsAnnotation);
  return [forbidden(at, 'may not specify mount options for this volume type')];
}

const validateSpec = ({ metadata, spec = {} }: PersistentVolume, options: PersistentVolumeSpecOptions): ErrorList =>
  validatePersistentVolumeSpec(spec, metadata.name ?? '', path, options);

export const validatePersistentVolume = (volume: PersistentVolume): ErrorList => [
  ...validateSpec(volume, {}),
  ...validateMountOptions(volume),
];

/** Validates an update. Upstream validates the spec twice, so its errors are repeated. */
export function validatePersistentVolumeUpdate(
  volume: PersistentVolume,
  old: PersistentVolume,
  context: StrategyContext,
): ErrorList {
  const { spec = {} } = volume;
  const { spec: before = {} } = old;
  const problems = validateSpec(volume, optionsFor(old));
  const errors = [...problems, ...validateMountOptions(volume), ...problems, ...validateSourceChange(spec, before)];
  errors.push(...validateImmutableField(spec.volumeMode, before.volumeMode, Path.of('volumeMode')));
  if (before.nodeAffinity && !context.features.enabled('MutablePVNodeAffinity'))
    errors.push(...validateNodeAffinityChange(spec, before));
  if (spec.volumeAttributesClassName === undefined && before.volumeAttributesClassName !== undefined)
    errors.push(forbidden(path.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden'));
  return errors;
}

/** The source is immutable, except that a CSI volume without a controllerExpandSecretRef may get one. */
function validateSourceChange(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): ErrorList {
  const after = sourceOf(spec);
  const before = sourceOf(old);
  if (after.csi?.controllerExpandSecretRef && before.csi && !before.csi.controllerExpandSecretRef)
    after.csi = { ...after.csi, controllerExpandSecretRef: undefined };
  if (semanticEqual(after, before)) return [];
  const diff = internalDiff('PersistentVolumeSource', before, after);
  const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
  return [forbidden(path.child('persistentvolumesource'), detail)];
}

function sourceOf(spec: PersistentVolumeSpec): PersistentVolumeSpec {
  return Object.fromEntries(sourceNames.map((name) => [name, spec[name]]));
}

/** Beta node labels → their stable names, which may replace them. */
const stableLabels = new Map([
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

function validateNodeAffinityChange(
  { nodeAffinity: after }: PersistentVolumeSpec,
  { nodeAffinity: before }: PersistentVolumeSpec,
): ErrorList {
  if (semanticEqual(after, renameLabels(before, after))) return [];
  const value = after && internalForm('VolumeNodeAffinity', after);
  return [invalid(Path.of('nodeAffinity'), value, 'field is immutable, except for updating from beta label to GA')];
}

type Affinity = PersistentVolumeSpec['nodeAffinity'];

/** Returns `affinity` with stable label names wherever `other` has them at the same position. */
function renameLabels(affinity: Affinity, other: Affinity): Affinity {
  const terms = affinity?.required?.nodeSelectorTerms;
  if (!terms) return affinity;
  const rename = (list: 'matchExpressions' | 'matchFields', term: NodeSelectorTerm, i: number) =>
    term[list]?.map((requirement, j) => {
      const stable = stableLabels.get(requirement.key);
      const wanted = other?.required?.nodeSelectorTerms?.[i]?.[list]?.[j]?.key;
      return stable !== undefined && stable === wanted ? { ...requirement, key: stable } : requirement;
    });
  const nodeSelectorTerms = terms.map((term, i) => ({
    ...term,
    matchExpressions: rename('matchExpressions', term, i),
    matchFields: rename('matchFields', term, i),
  }));
  return { required: { nodeSelectorTerms } };
}
