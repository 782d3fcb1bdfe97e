import { prepareForSubresourceUpdate, prepareForUpdate, validateUpdateInSteps } from '@coxswain/api';
import {
  type ApiError,
  GroupKind,
  invalid,
  jsonEquals,
  type KubernetesObject,
  keepTimesOfNoop,
  newBadRequest,
  newConflict,
  newInvalid,
  newNotFound,
  type ObjectMeta,
  Path,
} from '@coxswain/apimachinery';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { CacheEntry } from '@coxswain/storage';
import { inTurns, isLarge, Turns } from '../turns/turns.ts';
import { prepareNew, unstored } from './create-object.ts';
import { finishDeletion, mustBeDeleted } from './delete-object.ts';
import { assertObjectSize } from './object-size.ts';
import type { WriteContext } from './resource-hooks.ts';
import type { ResourceRegistry, ValidateWrite } from './resource-registry.ts';
import { fromStoreError, parseResourceVersion } from './store-error.ts';
import type { StoredObject } from './stored-object.ts';

export interface UpdateRequest {
  readonly namespace: string;
  readonly name: string;
  readonly context: WriteContext;
  /** The subresource that is written. Undefined for the object itself. */
  readonly subresource?: string;
  /**
   * Returns the new object. `current` is undefined when the object does not exist, and must not be modified. It is called again
   * after a concurrent write. An error that it throws ends the update.
   */
  readonly change: (current: KubernetesObject | undefined) => Promise<KubernetesObject>;
  readonly validate?: ValidateWrite;
  /** Stores the new object without preparation and validation. For parts of the server that did both. */
  readonly asIs?: boolean;
  /** For server-side apply: creates the object if it does not exist, even if the strategy does not allow create on update. */
  readonly createIfAbsent?: boolean;
}

export interface UpdateResult {
  readonly stored: StoredObject;
  readonly created: boolean;
}

/** The maximum number of attempts. After that many concurrent writes the client gets a Conflict. */
const maxAttempts = 100;

const optimisticLockMessage =
  'the object has been modified; please apply your changes to the latest version and try again';

export async function updateObject(registry: ResourceRegistry, request: UpdateRequest): Promise<UpdateResult> {
  const { definition, keys } = registry;
  const key = keys.key(request.namespace, request.name);
  let current = registry.current(key);
  let known = !registry.cacheMayBeStale;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    try {
      const written = current ? await replace(registry, request, current) : await addNew(registry, request, key);
      if ('stored' in written) return written;
      current = written.current;
      known = true;
    } catch (error) {
      // The cached object may have been stale. Retry with the stored one before returning the error.
      if (known) throw fromStoreError(error, definition.groupResource, 'update');
      const latest = await registry.readThrough(key);
      known = true;
      if (latest?.revision === current?.revision) throw fromStoreError(error, definition.groupResource, 'update');
      current = latest;
    }
  }
  throw newConflict(definition.groupResource, request.name, optimisticLockMessage);
}

type Attempt = UpdateResult | { readonly current: CacheEntry<StoredObject> | undefined };

async function replace(
  registry: ResourceRegistry,
  request: UpdateRequest,
  entry: CacheEntry<StoredObject>,
): Promise<Attempt> {
  const { definition, codec, store } = registry;
  const { context, subresource, validate } = request;
  const { strategy, hooks, hub } = definition;
  const shown = await registry.shown(entry.value);
  if (isLarge(shown.line)) context.turns ??= new Turns(registry.eventLoop);
  if (context.turns) await context.turns.next();
  const old = codec.decode(shown.line);
  if (context.turns) await context.turns.next();
  const changed = withCurrentVersion(await request.change(old), entry.revision, registry, request);
  if (context.turns) await context.turns.next();
  const whole = subresource === undefined && !request.asIs;
  const problems = (whole && strategy.begin?.(changed, old, context)) || [];
  if (problems.length > 0) throw newInvalid(hub.groupKind, request.name, problems);
  const reservation = whole ? await hooks.beginUpdate?.(changed, old, context) : undefined;
  let isStored = false;
  try {
    const next = keepTimesOfNoop(
      request.asIs ? (definition.complete?.(changed) ?? changed) : await judged(registry, request, changed, old),
      old,
    );
    await validate?.(next, old);
    if (mustBeDeleted(definition, next, old)) {
      const gone = await finishDeletion(registry, entry, next, context.dryRun);
      await reservation?.rollback();
      if (!gone) return { current: await registry.readThrough(entry.key) };
      // The response has the resourceVersion from before the deletion.
      return { stored: codec.stored(codec.withRevision(codec.encode(next), entry.revision), next), created: false };
    }
    if (context.turns) await context.turns.next();
    const encoded = codec.encode(next);
    if (context.turns) await context.turns.next();
    if (context.dryRun) {
      await reservation?.rollback();
      return { stored: codec.stored(codec.withRevision(encoded, entry.revision), next), created: false };
    }
    const stored = await registry.encode(next, encoded);
    const isSame = definition.versions
      ? definition.versions.isStored(stored, entry)
      : !entry.value.stale &&
        // An update without changes is not written: there is no watch event, and the resourceVersion stays.
        codec.lineLength(encoded, entry.revision) === shown.line.length &&
        (codec.isLineOf(shown.line, encoded) || jsonEquals(next, old));
    if (isSame) {
      await reservation?.commit();
      return { stored: shown, created: false };
    }
    assertObjectSize(stored);
    if (context.turns) await context.turns.next();
    const result = await store.put(entry.key, stored, {
      expected: entry.revision,
      note: next,
      ...(definition.ttlSeconds !== undefined && { ttlSeconds: definition.ttlSeconds }),
    });
    if (!result.ok) {
      await reservation?.rollback();
      return { current: result.current && registry.entryOf(result.current) };
    }
    isStored = true;
    await reservation?.commit();
    return { stored: await registry.written(entry.key, stored, result.revision, next), created: false };
  } catch (error) {
    if (!isStored) await reservation?.rollback();
    throw error;
  }
}

/** Prepares and validates the new object by its strategy. Throws Invalid. */
async function judged(
  { definition }: ResourceRegistry,
  { subresource, context, namespace }: UpdateRequest,
  changed: KubernetesObject,
  old: KubernetesObject,
): Promise<KubernetesObject> {
  const { strategy, hub, namespaced } = definition;
  const prepared =
    subresource !== undefined && strategy.subresources?.[subresource]
      ? prepareForSubresourceUpdate(strategy, subresource, changed, old, context)
      : prepareForUpdate(strategy, changed, old, context);
  const own = withLastingMetadata(prepared, old, namespace, namespaced);
  const { turns } = context;
  if (turns) await turns.next();
  const found = await inTurns(turns, validateUpdateInSteps(strategy, own, old, context, subresource));
  if (turns) await turns.next();
  const further = strategy.validateRules?.(own, old, found, context);
  const errors = further ? [...found, ...(await further)] : found;
  if (errors.length > 0)
    throw newInvalid(GroupKind.of(hub.group, own.kind ?? hub.kind), own.metadata?.name ?? '', errors);
  const { warningsOnUpdate } = (subresource === undefined ? strategy : strategy.subresources?.[subresource]) ?? {};
  for (const warning of warningsOnUpdate?.(own, old, context) ?? []) context.warn?.(warning);
  if (turns) await turns.next();
  strategy.canonicalize?.(own);
  return definition.storedForm?.(own, false) ?? own;
}

async function addNew(registry: ResourceRegistry, request: UpdateRequest, key: string): Promise<Attempt> {
  const { definition, store, random, now } = registry;
  const { context, name } = request;
  if (!request.createIfAbsent && !definition.strategy.allowCreateOnUpdate)
    throw newNotFound(definition.groupResource, name);
  const object = await request.change(undefined);
  const { uid: _, resourceVersion, ...metadata } = object.metadata ?? {};
  // The resourceVersion must be valid, but is ignored.
  if (resourceVersion) parseResourceVersion(resourceVersion, '');
  const complete = {
    ...object,
    metadata: { ...metadata, uid: random.uuid(), creationTimestamp: timeFromDate(now()) },
  };
  const ready = await prepareNew(registry, complete, context, request.validate);
  let isStored = false;
  try {
    const stored = await registry.encode(ready.object);
    assertObjectSize(stored);
    if (context.dryRun) {
      await ready.rollback();
      return { stored: unstored(registry, ready.object), created: true };
    }
    const result = await store.put(key, stored, {
      expected: 0,
      note: ready.object,
      ...(definition.ttlSeconds !== undefined && { ttlSeconds: definition.ttlSeconds }),
    });
    if (!result.ok) {
      await ready.rollback();
      return { current: result.current && registry.entryOf(result.current) };
    }
    isStored = true;
    await ready.commit();
    return { stored: await registry.written(key, stored, result.revision, ready.object), created: true };
  } catch (error) {
    if (!isStored) await ready.rollback();
    throw error;
  }
}

/** Returns the object with the current resourceVersion. Throws Conflict when it has another one, Invalid when a required one is missing. */
function withCurrentVersion(
  object: KubernetesObject,
  revision: number,
  { definition }: ResourceRegistry,
  { name }: UpdateRequest,
): KubernetesObject {
  const { groupResource, strategy } = definition;
  const given = object.metadata?.resourceVersion ?? '';
  const version = given === '' ? 0 : parseResourceVersion(given, '');
  if (version === 0) {
    if (strategy.allowUnconditionalUpdate === false) {
      // As upstream, this error has the resource in place of the kind.
      throw newInvalid(GroupKind.of(groupResource.group, groupResource.resource), name, [
        invalid(Path.of('metadata', 'resourceVersion'), 0, 'must be specified for an update'),
      ]);
    }
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
  }
  if (version !== revision) throw newConflict(groupResource, name, optimisticLockMessage);
  return object;
}

/** Restores the metadata fields that updates cannot change. Throws BadRequest when the namespace differs. */
function withLastingMetadata(
  object: KubernetesObject,
  old: KubernetesObject,
  namespace: string,
  namespaced: boolean,
): KubernetesObject {
  const given = object.metadata ?? {};
  const before = old.metadata ?? {};
  if (given.selfLink) {
    // selfLink is deprecated and always dropped.
    const { selfLink: _, ...metadata } = given;
    return withLastingMetadata({ ...object, metadata }, old, namespace, namespaced);
  }
  const lasting: ObjectMeta = {};
  if (!given.uid && before.uid) lasting.uid = before.uid;
  if (before.creationTimestamp && given.creationTimestamp !== before.creationTimestamp)
    lasting.creationTimestamp = before.creationTimestamp;
  if (before.deletionTimestamp && given.deletionTimestamp !== before.deletionTimestamp)
    lasting.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined && given.deletionGracePeriodSeconds === undefined)
    lasting.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds;
  if (namespaced && !given.namespace) lasting.namespace = namespace;
  if (namespaced && given.namespace && given.namespace !== namespace) throw namespaceMismatch();
  for (const _ in lasting) return { ...object, metadata: { ...given, ...lasting } };
  return object;
}

export const namespaceMismatch = (): ApiError =>
  newBadRequest('the namespace of the provided object does not match the namespace sent on the request');
