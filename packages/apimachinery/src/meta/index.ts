export {
  addFinalizer,
  ensureMetadata,
  getAnnotation,
  getLabel,
  hasFinalizer,
  isBeingDeleted,
  isList,
  objectKey,
  removeFinalizer,
  setAnnotation,
  setLabel,
  splitObjectKey,
} from './accessor.ts';
export {
  type Condition,
  type ConditionInput,
  type ConditionStatus,
  findStatusCondition,
  isStatusConditionFalse,
  isStatusConditionPresentAndEqual,
  isStatusConditionTrue,
  removeStatusCondition,
  setStatusCondition,
} from './condition.ts';
export type {
  APIGroup,
  APIGroupList,
  APIResource,
  APIResourceList,
  APIVersions,
  GroupVersionForDiscovery,
  ServerAddressByClientCIDR,
} from './discovery.ts';
export {
  GroupKind,
  GroupResource,
  GroupVersion,
  GroupVersionKind,
  GroupVersionResource,
  parseKindArg,
  parseResourceArg,
} from './group-version.ts';
export type {
  MetaGroupKind,
  MetaGroupResource,
  MetaGroupVersion,
  MetaGroupVersionKind,
  MetaGroupVersionResource,
} from './identifiers.ts';
export { compareKubeVersions } from './kube-version.ts';
export type {
  FieldSelectorOperator,
  FieldSelectorRequirement,
  LabelSelector,
  LabelSelectorOperator,
  LabelSelectorRequirement,
} from './label-selector.ts';
export type { ListMeta, ShardInfo } from './list-meta.ts';
export {
  FINALIZER_DELETE_DEPENDENTS,
  FINALIZER_ORPHAN_DEPENDENTS,
  type FieldsV1,
  type ManagedFieldsEntry,
  type ManagedFieldsOperationType,
  NAMESPACE_ALL,
  NAMESPACE_DEFAULT,
  NAMESPACE_PUBLIC,
  NAMESPACE_SYSTEM,
  type ObjectMeta,
  type OwnerReference,
} from './object-meta.ts';
export {
  type ApplyOptions,
  type CreateOptions,
  type DeleteOptions,
  type DeletionPropagation,
  DRY_RUN_ALL,
  type FieldValidation,
  type GetOptions,
  INITIAL_EVENTS_ANNOTATION_KEY,
  type IncludeObjectPolicy,
  type ListOptions,
  type PatchOptions,
  type Preconditions,
  type ResourceVersionMatch,
  type TableOptions,
  type UpdateOptions,
} from './options.ts';
export { getControllerOf, getControllerOfNoCopy, isControlledBy, newControllerRef } from './owner-reference.ts';
export { groupVersionPath, pathSegmentProblems, type ResourcePathOptions, resourcePath } from './resource-path.ts';
export type { Duration, IntOrString, MicroTime, Time } from './scalars.ts';
export type { CauseType, KnownStatusReason, Status, StatusCause, StatusDetails, StatusReason } from './status.ts';
export type { Table, TableColumnDefinition, TableRow, TableRowCondition } from './table.ts';
export type {
  KubernetesList,
  KubernetesObject,
  PartialObjectMetadata,
  PartialObjectMetadataList,
  TypeMeta,
} from './type-meta.ts';
