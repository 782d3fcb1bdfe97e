import type { TypeMeta } from './type-meta.ts';

export type DeletionPropagation = 'Orphan' | 'Background' | 'Foreground';
export type ResourceVersionMatch = 'NotOlderThan' | 'Exact';
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The only value of `dryRun`: run every stage, persist nothing. */
export const DRY_RUN_ALL = 'All';

/** Set to `true` on the bookmark that ends the initial events of a streamed list. */
export const INITIAL_EVENTS_ANNOTATION_KEY = 'k8s.io/initial-events-end';

export interface GetOptions extends TypeMeta {
  resourceVersion?: string;
}

export interface ListOptions extends TypeMeta {
  labelSelector?: string;
  fieldSelector?: string;
  watch?: boolean;
  allowWatchBookmarks?: boolean;
  resourceVersion?: string;
  resourceVersionMatch?: ResourceVersionMatch;
  timeoutSeconds?: number;
  limit?: number;
  continue?: string;
  sendInitialEvents?: boolean;
  shardSelector?: string;
}

export interface CreateOptions extends TypeMeta {
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: FieldValidation;
}

export interface UpdateOptions extends TypeMeta {
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: FieldValidation;
}

export interface PatchOptions extends TypeMeta {
  dryRun?: string[];
  /** Only for apply: takes over fields that other managers own. */
  force?: boolean;
  fieldManager?: string;
  fieldValidation?: FieldValidation;
}

export interface ApplyOptions extends TypeMeta {
  dryRun?: string[];
  force: boolean;
  fieldManager: string;
}

export interface DeleteOptions extends TypeMeta {
  gracePeriodSeconds?: number;
  preconditions?: Preconditions;
  orphanDependents?: boolean;
  propagationPolicy?: DeletionPropagation;
  dryRun?: string[];
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/** The operation is performed only if the object has these values. */
export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

export type IncludeObjectPolicy = 'None' | 'Metadata' | 'Object';

export interface TableOptions extends TypeMeta {
  includeObject?: IncludeObjectPolicy;
}
