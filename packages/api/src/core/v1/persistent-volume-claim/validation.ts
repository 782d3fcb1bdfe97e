import {
  type ErrorList,
  forbidden,
  invalid,
  isDns1123Subdomain,
  isQualifiedName,
  nameIsDnsSubdomain,
  notSupported,
  ownEntry,
  Path,
  Quantity,
  required,
  validateImmutableField,
  validateLabelSelector,
  validateNamespaceName,
} from '@coxswain/apimachinery';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedObjectReference,
} from '../../../generated/core/v1.ts';
import { validateAccessModes } from '../access-modes.ts';
import { invalidEach, sortedEntries, unlessSupported } from '../checks.ts';
import { volumeModes } from '../persistent-volume/validation.ts';
import { quantityOf, validateBasicResource } from '../resources/resource-list.ts';
import { isNativeResource } from '../resources/resource-name.ts';
import { validatePositiveQuantity, validateResourceQuantityValue } from '../resources/resource-requirements.ts';
import { claimSpecDiff } from './spec-diff.ts';

export interface PersistentVolumeClaimSpecOptions {
  /** The old object has invalid values, so they are allowed. */
  readonly allowInvalidLabelValueInSelector?: boolean;
  readonly allowInvalidAPIGroup?: boolean;
}

const path = Path.of('spec');
const storagePath = path.child('resources', 'requests', 'storage');

/** Reports whether the selector is invalid by the current rules; an update may then keep invalid values. */
const hasInvalidSelector = (spec: PersistentVolumeClaimSpec | undefined): boolean =>
  validateLabelSelector(spec?.selector, {}, path).length > 0;

/** Returns the options for validating an update of this claim. */
const optionsFor = ({ spec }: PersistentVolumeClaim): PersistentVolumeClaimSpecOptions => ({
  allowInvalidLabelValueInSelector: hasInvalidSelector(spec),
  allowInvalidAPIGroup: typeof (spec?.dataSource?.apiGroup ?? spec?.dataSourceRef?.apiGroup) === 'string',
});

/** Validates a claim's spec, also inside a template. */
export function validatePersistentVolumeClaimSpec(
  spec: PersistentVolumeClaimSpec,
  at: Path,
  options: PersistentVolumeClaimSpecOptions = {},
): ErrorList {
  const { accessModes = [], storageClassName, volumeMode, dataSource, dataSourceRef, volumeAttributesClassName } = spec;
  const { allowInvalidLabelValueInSelector = false } = options;
  const errors: ErrorList = [];
  const className = (field: string, name: string | undefined): void => {
    if (name) errors.push(...invalidEach(at.child(field), name, nameIsDnsSubdomain(name, false)));
  };
  if (accessModes.length === 0) errors.push(required(at.child('accessModes'), 'at least 1 access mode is required'));
  errors.push(...validateLabelSelector(spec.selector, { allowInvalidLabelValueInSelector }, at.child('selector')));
  errors.push(...validateAccessModes(accessModes, at.child('accessModes')));
  errors.push(...validateRequest(spec, at.child('resources').key('storage')));
  className('storageClassName', storageClassName);
  if (volumeMode !== undefined) errors.push(...unlessSupported(at.child('volumeMode'), volumeMode, volumeModes));
  if (dataSource) errors.push(...validateDataSource(dataSource, at.child('dataSource'), options));
  if (dataSourceRef) errors.push(...validateDataSource(dataSourceRef, at.child('dataSourceRef'), options));
  const problem = dataSourceProblem(spec);
  // Upstream passes a path in place of the value, and prints it as an empty object.
  if (problem) errors.push(invalid(at, {}, problem));
  className('volumeAttributesClassName', volumeAttributesClassName);
  return errors;
}

function validateRequest({ resources }: PersistentVolumeClaimSpec, at: Path): ErrorList {
  const text = ownEntry(resources?.requests, 'storage');
  if (text === undefined) return [required(at)];
  const amount = Quantity.parse(text);
  const errors = validatePositiveQuantity(amount, at);
  return errors.length > 0 ? errors : validateResourceQuantityValue('storage', amount, at);
}

function validateDataSource(
  { name, kind, apiGroup: group, namespace }: TypedObjectReference,
  at: Path,
  { allowInvalidAPIGroup }: PersistentVolumeClaimSpecOptions,
): ErrorList {
  // A null apiGroup is the core group.
  const apiGroup = group ?? '';
  const errors: ErrorList = [];
  if (!name) errors.push(required(at.child('name')));
  if (!kind) errors.push(required(at.child('kind')));
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim')
    errors.push(invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  if (apiGroup !== '' && !allowInvalidAPIGroup)
    errors.push(...invalidEach(at.child('apiGroup'), apiGroup, isDns1123Subdomain(apiGroup)));
  if (namespace) errors.push(...invalidEach(at.child('namespace'), namespace, validateNamespaceName(namespace, false)));
  return errors;
}

function dataSourceProblem({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec): string | undefined {
  if (!dataSource || !dataSourceRef) return undefined;
  if (dataSourceRef.namespace) return 'may not be specified when dataSourceRef.namespace is specified';
  const isSame =
    (dataSource.apiGroup ?? undefined) === (dataSourceRef.apiGroup ?? undefined) &&
    dataSource.kind === dataSourceRef.kind &&
    dataSource.name === dataSourceRef.name;
  return isSame ? undefined : 'must match dataSourceRef';
}

export const validatePersistentVolumeClaim = ({ spec = {} }: PersistentVolumeClaim): ErrorList =>
  validatePersistentVolumeClaimSpec(spec, path);

/** Validates an update. Of a bound claim only the size and the volume attributes class may change. */
export function validatePersistentVolumeClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): ErrorList {
  const { spec = {} } = claim;
  const { spec: before = {} } = old;
  const errors = validatePersistentVolumeClaimSpec(spec, path, optionsFor(old));

  const diff = claimSpecDiff(claim, old);
  errors.push(...diff.annotationErrors);
  if (diff.text !== undefined) {
    const detail = `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${diff.text}`;
    errors.push(forbidden(path, detail));
  }
  const size = quantityOf(spec.resources?.requests, 'storage');
  const isLess = size.cmp(quantityOf(before.resources?.requests, 'storage')) < 0;
  // A claim may be reduced to a size above its capacity, to cancel an expansion.
  if (isLess && size.cmp(quantityOf(old.status?.capacity, 'storage')) <= 0)
    errors.push(forbidden(storagePath, 'field can not be less than status.capacity'));
  errors.push(...validateImmutableField(spec.volumeMode, before.volumeMode, Path.of('volumeMode')));
  return [...errors, ...validateAttributesClassChange(spec, old)];
}

/** A volume attributes class that was applied can be replaced, but not removed. */
function validateAttributesClassChange(
  { volumeAttributesClassName: name }: PersistentVolumeClaimSpec,
  { spec, status }: PersistentVolumeClaim,
): ErrorList {
  if (name || name === spec?.volumeAttributesClassName || status?.currentVolumeAttributesClassName === undefined)
    return [];
  const target = name === undefined ? 'nil' : 'empty string';
  const detail = `update to ${target} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbidden(path.child('volumeAttributesClassName'), detail)];
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

export function validatePersistentVolumeClaimStatus(claim: PersistentVolumeClaim): ErrorList {
  const { capacity, allocatedResourceStatuses, allocatedResources } = claim.status ?? {};
  const errors: ErrorList = [];
  if (!claim.spec?.accessModes?.length) errors.push(required(Path.of('Spec', 'accessModes')));
  for (const [name, text] of sortedEntries(capacity))
    errors.push(...validateBasicResource(Quantity.parse(text), Path.of('status', 'capacity').key(name)));
  const statusesPath = Path.of('status', 'allocatedResourceStatuses');
  for (const [name, status] of sortedEntries(allocatedResourceStatuses)) {
    errors.push(...validateResourceKey(name, statusesPath));
    if (!resizeStatuses.includes(status)) errors.push(notSupported(statusesPath, name, resizeStatuses));
  }
  const allocatedPath = Path.of('status', 'allocatedResources');
  for (const [name, text] of sortedEntries(allocatedResources)) {
    const problems = validateResourceKey(name, allocatedPath);
    errors.push(...(problems.length > 0 ? problems : validateAllocated(Quantity.parse(text), allocatedPath.key(name))));
  }
  return errors;
}

function validateAllocated(amount: Quantity, at: Path): ErrorList {
  const errors = validateBasicResource(amount, at);
  return errors.length > 0 ? errors : validateResourceQuantityValue('storage', amount, at);
}

/** Validates a resource name. Of Kubernetes' own resources, only storage can be allocated to a claim. */
function validateResourceKey(name: string, at: Path): ErrorList {
  const messages = isQualifiedName(name);
  if (messages.length > 0) return invalidEach(at, name, messages);
  return isNativeResource(name) && name !== 'storage' ? [notSupported(at, name, ['storage'])] : [];
}
