/**
 * Server-side apply: field sets (`FieldSet`), values with a schema (`TypedValue`), and on top of them the `FieldManager`, which maintains
 * managedFields on every write and applies configurations.
 */

export { goFloat } from '../json/go-format.ts';
export { capUpdateManagers, defaultMaxUpdateManagers } from './cap-managers.ts';
export type { Comparison } from './compare.ts';
export {
  findFieldsOwners,
  type UpgradeManagedFieldsOptions,
  upgradeManagedFields,
  upgradeManagedFieldsPatch,
} from './csa-upgrade.ts';
export { emptyObject } from './empty-object.ts';
export { extractApplied } from './extract.ts';
export { FieldManager, type FieldManagerApplyOptions, type FieldManagerOptions } from './field-manager.ts';
export { FieldSet } from './field-set.ts';
export { anyElement, excludeFields, type FieldSetFilter, includeFields, type PathPattern } from './field-set-filter.ts';
export { managerOrUserAgent } from './manager-name.ts';
export {
  decodeManagedFields,
  encodeManagedFields,
  type FieldsOwner,
  type Managers,
  ownerIdentity,
} from './managers.ts';
export { keepTimesOfNoop } from './noop-times.ts';
export {
  type FieldPath,
  fieldElement,
  fieldPath,
  indexElement,
  keyElement,
  type PathElement,
  printPath,
  valueElement,
} from './path-element.ts';
export { type ReplicasPaths, ScaleHandler } from './scale-handler.ts';
export { reconcileFieldSet, TypedValue } from './typed-value.ts';
export type { KindVersions } from './updater.ts';
export { TypedValueError } from './validate-value.ts';
