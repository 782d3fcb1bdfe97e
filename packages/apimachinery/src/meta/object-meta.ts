import type { Time } from './scalars.ts';

/** The metadata of every persistent object. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: Time;
  deletionTimestamp?: Time;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** A reference to an owner of the object, which is in the same namespace or cluster-scoped. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  /** True for the one owner that manages the object. */
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export type ManagedFieldsOperationType = 'Apply' | 'Update';

/** The fields that one manager set, by one operation, through one version and subresource. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: ManagedFieldsOperationType;
  apiVersion?: string;
  time?: Time;
  fieldsType?: string;
  fieldsV1?: FieldsV1;
  subresource?: string;
}

/** A set of fields as a tree: `{"f:spec": {"f:replicas": {}}}`. */
export type FieldsV1 = Record<string, unknown>;

export const FINALIZER_ORPHAN_DEPENDENTS = 'orphan';
export const FINALIZER_DELETE_DEPENDENTS = 'foregroundDeletion';

export const NAMESPACE_DEFAULT = 'default';
/** Selects all namespaces; also the namespace of objects without one. */
export const NAMESPACE_ALL = '';
export const NAMESPACE_SYSTEM = 'kube-system';
export const NAMESPACE_PUBLIC = 'kube-public';
