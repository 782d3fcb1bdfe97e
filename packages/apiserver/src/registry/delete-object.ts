import {
  type DeleteOptions,
  GroupResource,
  jsonEquals,
  type KubernetesObject,
  newConflict,
  newNotFound,
  type ObjectMeta,
  type Preconditions,
  type Status,
} from '@coxswain/apimachinery';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { CacheEntry } from '@coxswain/storage';
import type { ResourceDefinition } from './resource-definition.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { fromStoreError } from './store-error.ts';
import type { StoredObject } from './stored-object.ts';

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

export interface DeletionRequest {
  readonly namespace: string;
  readonly name: string;
  readonly options: DeleteOptions;
  readonly dryRun: boolean;
  /** Validating admission: throws to refuse the deletion. */
  readonly validate?: (object: KubernetesObject) => Promise<void>;
  readonly warn?: (text: string) => void;
}

export interface DeleteResult {
  /** True when the object was removed, false when it was only marked with a deletionTimestamp. */
  readonly deleted: boolean;
  /** The marked object, or the last state of the removed one. Undefined when the response is `status`. */
  readonly stored?: StoredObject;
  readonly status?: Status;
}

/**
 * Deletes an object, or marks it with a `deletionTimestamp` when something must happen first: finalizers, the garbage collector,
 * or the kubelet that still runs the pod. With a grace period, `deletionTimestamp` is its end.
 */
export async function deleteObject(registry: ResourceRegistry, request: DeletionRequest): Promise<DeleteResult> {
  const { definition } = registry;
  const key = registry.keys.key(request.namespace, request.name);
  let entry = registry.cacheMayBeStale ? await registry.readThrough(key) : registry.current(key);
  try {
    for (;;) {
      if (!entry) throw newNotFound(definition.groupResource, request.name);
      const outcome = await attempt(registry, request, entry);
      if (outcome) return outcome;
      entry = await registry.readThrough(key);
    }
  } catch (error) {
    throw fromStoreError(error, definition.groupResource, 'delete');
  }
}

/** Returns undefined when the object was changed concurrently. */
async function attempt(
  registry: ResourceRegistry,
  request: DeletionRequest,
  entry: CacheEntry<StoredObject>,
): Promise<DeleteResult | undefined> {
  const { definition, codec, store } = registry;
  const shown = await registry.shown(entry.value);
  const object = codec.decode(shown.line);
  const metadata = object.metadata ?? {};
  assertPreconditions(definition, metadata, request.options.preconditions);
  definition.beforeDelete?.(object, request.options, request.warn);
  const plan = planDeletion(definition, object, request.options, registry.now());
  if (plan === 'pending') return { deleted: false, ...success(definition, shown, metadata) };
  await request.validate?.(object);
  if (plan === 'delete') {
    const gone = await finishDeletion(registry, entry, object, request.dryRun);
    return gone && { deleted: true, ...success(definition, gone, metadata) };
  }
  const changed = { ...object, metadata: plan.metadata };
  const marked = plan.retired ?? definition.marked?.(changed) ?? changed;
  if (jsonEquals(marked, object)) return { deleted: false, stored: shown };
  if (request.dryRun) {
    return { deleted: false, stored: codec.stored(codec.withRevision(codec.encode(marked), entry.revision), marked) };
  }
  const stored = await registry.encode(marked);
  const result = await store.put(entry.key, stored, { expected: entry.revision, note: marked });
  if (!result.ok) return undefined;
  const left = {
    key: entry.key,
    revision: result.revision,
    value: await registry.written(entry.key, stored, result.revision, marked),
  };
  if (!plan.thenDelete) return { deleted: false, stored: left.value };
  const gone = await finishDeletion(registry, left, marked, false);
  return gone && { deleted: true, ...success(definition, gone, metadata) };
}

/** Removes the object from the store. Returns undefined when it was changed concurrently. `last` is its last state. */
export async function finishDeletion(
  registry: ResourceRegistry,
  entry: CacheEntry<StoredObject>,
  last: KubernetesObject,
  dryRun: boolean,
): Promise<StoredObject | undefined> {
  const { codec, store, definition } = registry;
  const bytes = codec.encode(last);
  const at = (revision: number): StoredObject => codec.stored(codec.withRevision(bytes, revision), last);
  if (dryRun) return at(entry.revision);
  const result = await store.delete(entry.key, { expected: entry.revision });
  if (!result.ok) return result.current ? undefined : at(entry.revision);
  await definition.hooks.afterDelete?.(last);
  // The returned object has the revision of the deletion.
  return at(result.revision);
}

/** Returns whether an update removes the last thing that kept an object marked for deletion, so that it must be removed. */
export function mustBeDeleted(definition: ResourceDefinition, next: KubernetesObject, old: KubernetesObject): boolean {
  if (next.metadata?.finalizers?.length || !old.metadata?.deletionTimestamp) return false;
  if (definition.deletionMustWait?.(next)) return false;
  return !old.metadata.deletionGracePeriodSeconds;
}

type Plan =
  /** Remove the object at once. */
  | 'delete'
  /** A deletion is in progress, and this request does not change it. */
  | 'pending'
  /** Mark the object, and then remove it if `thenDelete`. */
  | { readonly metadata: ObjectMeta; readonly thenDelete: boolean; readonly retired?: KubernetesObject };

function planDeletion(
  definition: ResourceDefinition,
  object: KubernetesObject,
  options: DeleteOptions,
  now: Date,
): Plan {
  const metadata = object.metadata ?? {};
  const retired = definition.retire?.(object, now);
  if (retired) return { metadata, thenDelete: false, retired };
  const grace = planGrace(definition, object, options, now);
  if (grace === 'pending') return 'pending';
  const finalizers = finalizersAfter(definition, metadata, options);
  if (grace !== 'none') {
    const next = withFinalizers({ ...metadata, ...grace }, finalizers);
    return { metadata: next, thenDelete: finalizers.length === 0 && grace.deletionGracePeriodSeconds === 0 };
  }
  const waits = definition.deletionMustWait?.(object) ?? false;
  if (finalizers.length === 0 && !waits) return 'delete';
  return { metadata: withFinalizers(markedAsDeleting(metadata, now), finalizers), thenDelete: false };
}

interface Grace {
  deletionTimestamp: string;
  deletionGracePeriodSeconds: number;
  generation?: number;
}

/** Returns `none` when the deletion is not graceful, or its grace period is over; `pending` when nothing changes. */
function planGrace(
  { gracefulDeletion }: ResourceDefinition,
  object: KubernetesObject,
  options: DeleteOptions,
  now: Date,
): Grace | 'none' | 'pending' {
  if (!gracefulDeletion) return 'none';
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = object.metadata ?? {};
  const asked =
    options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds;
  if (deletionTimestamp) {
    const left =
      deletionGracePeriodSeconds !== undefined && deletionGracePeriodSeconds < 0 ? 1 : deletionGracePeriodSeconds;
    if (!left) return 'none';
    // The grace period can only be shortened.
    if (asked === undefined || asked >= left) return 'pending';
    const end = Date.parse(deletionTimestamp) - left * 1000 + asked * 1000;
    const over = end < now.getTime();
    return {
      deletionTimestamp: timeFromDate(over ? now : new Date(end)),
      // The shortened period is already over. It becomes one second, not zero, which would skip the kubelet.
      deletionGracePeriodSeconds: over && asked !== 0 ? 1 : asked,
    };
  }
  const graceful = gracefulDeletion(object, asked === undefined ? {} : { gracePeriodSeconds: asked });
  if (!graceful) return 'none';
  return {
    deletionTimestamp: timeFromDate(new Date(now.getTime() + graceful.gracePeriodSeconds * 1000)),
    deletionGracePeriodSeconds: graceful.gracePeriodSeconds,
    // Controllers that compare observedGeneration notice the deletion.
    ...(generation && { generation: generation + 1 }),
  };
}

function markedAsDeleting(metadata: ObjectMeta, now: Date): ObjectMeta {
  const { deletionTimestamp, generation } = metadata;
  const raised = !deletionTimestamp && generation ? { generation: generation + 1 } : {};
  const isLater = deletionTimestamp && Date.parse(deletionTimestamp) > now.getTime();
  return {
    ...metadata,
    ...raised,
    deletionTimestamp: !deletionTimestamp || isLater ? timeFromDate(now) : deletionTimestamp,
    deletionGracePeriodSeconds: 0,
  };
}

/** Returns the finalizers, with `orphan` and `foregroundDeletion` added or removed as the options and the kind's default say. */
function finalizersAfter(
  { garbageCollection }: ResourceDefinition,
  metadata: ObjectMeta,
  options: DeleteOptions,
): string[] {
  const before = metadata.finalizers ?? [];
  const orphan = shouldOrphan(garbageCollection, before, options);
  const foreground = shouldDeleteInForeground(garbageCollection, before, options);
  const after = before.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  if (orphan) after.push(orphanFinalizer);
  if (foreground) after.push(foregroundFinalizer);
  const same = after.length === before.length && after.every((finalizer) => before.includes(finalizer));
  return same ? before : after;
}

function shouldOrphan(policy: string, finalizers: readonly string[], options: DeleteOptions): boolean {
  if (policy === 'unsupported') return false;
  if (options.orphanDependents !== undefined) return options.orphanDependents;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Orphan';
  const set = finalizers.find((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer);
  return set === undefined ? policy === 'orphan' : set === orphanFinalizer;
}

function shouldDeleteInForeground(policy: string, finalizers: readonly string[], options: DeleteOptions): boolean {
  if (policy === 'unsupported' || options.orphanDependents !== undefined) return false;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Foreground';
  const set = finalizers.find((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer);
  return set === foregroundFinalizer;
}

function withFinalizers(metadata: ObjectMeta, finalizers: string[]): ObjectMeta {
  const { finalizers: _, ...rest } = metadata;
  return finalizers.length === 0 ? rest : { ...rest, finalizers };
}

function assertPreconditions(
  { hub, groupResource, retire }: ResourceDefinition,
  { name = '', uid = '', resourceVersion = '' }: ObjectMeta,
  preconditions: Preconditions | undefined,
): void {
  const { uid: wantedUid, resourceVersion: wantedVersion } = preconditions ?? {};
  // As upstream, these errors have the kind in place of the resource.
  const resource = GroupResource.of(hub.group, hub.kind);
  if (wantedUid !== undefined && wantedUid !== uid) {
    if (retire) throw newConflict(groupResource, name, failedPrecondition('UID', wantedUid, uid));
    throw newConflict(
      resource,
      name,
      `the UID in the precondition (${wantedUid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (wantedVersion !== undefined && wantedVersion !== resourceVersion) {
    if (retire)
      throw newConflict(groupResource, name, failedPrecondition('ResourceVersion', wantedVersion, resourceVersion));
    throw newConflict(
      resource,
      name,
      `the ResourceVersion in the precondition (${wantedVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** Upstream's message for kinds with their own deletion. */
const failedPrecondition = (what: string, wanted: string, found: string): string =>
  `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`;

/** Returns the response of a deletion: the object, or a Status. */
function success(
  definition: ResourceDefinition,
  stored: StoredObject,
  { name = '', uid = '' }: ObjectMeta,
): Pick<DeleteResult, 'stored' | 'status'> {
  if (definition.returnsDeletedObject) return { stored };
  const { group, resource } = definition.groupResource;
  return {
    status: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      // As upstream, `kind` is the resource name.
      details: { name, ...(group && { group }), kind: resource, uid },
    },
  };
}
