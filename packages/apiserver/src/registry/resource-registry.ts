import {
  type CodecFactory,
  type GroupResource,
  type KubernetesObject,
  newInternalError,
  newNotFound,
} from '@coxswain/apimachinery';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { Random } from '@coxswain/apimachinery/random';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { type CacheEntry, type KeyValue, type Store, WatchCache } from '@coxswain/storage';
import { brokenObject } from './broken-object.ts';
import { createObject } from './create-object.ts';
import { type DeleteResult, type DeletionRequest, deleteObject } from './delete-object.ts';
import { ObjectCodec } from './object-codec.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { WriteContext } from './resource-hooks.ts';
import { ResourceKeys } from './resource-key.ts';
import type { Selection } from './selection.ts';
import { fromStoreError, parseResourceVersion } from './store-error.ts';
import type { StoredObject } from './stored-object.ts';
import { type UpdateRequest, type UpdateResult, updateObject } from './update-object.ts';

export interface ResourceRegistryOptions {
  readonly definition: ResourceDefinition;
  readonly store: Store;
  /** The prefix of all keys, such as `/registry`. */
  readonly root: string;
  readonly codecs: CodecFactory;
  readonly random: Random;
  readonly now: () => Date;
  /** The clock for the watch cache's timers. */
  readonly clock: Clock;
  /** The event loop that work on large objects yields to. */
  readonly eventLoop: EventLoop;
  /** Called for errors of the watch cache. */
  readonly onCacheError?: (error: Error) => void;
}

/** Validating admission: throws to refuse a write that is otherwise ready to be stored. `old` is undefined for a create. */
export type ValidateWrite = (object: KubernetesObject, old: KubernetesObject | undefined) => Promise<void>;

/**
 * The objects of one resource, for all versions in which it is served: upstream's registry store. Writes take objects in their
 * hub version; reads return the cached bytes.
 */
export class ResourceRegistry {
  readonly definition: ResourceDefinition;
  readonly codec: ObjectCodec;
  readonly keys: ResourceKeys;
  readonly store: Store;
  readonly cache: WatchCache<StoredObject>;
  readonly random: Random;
  readonly now: () => Date;
  readonly eventLoop: EventLoop;
  readonly #options: ResourceRegistryOptions;

  /** `cache` is given to share the cache of another registry for the same objects. */
  constructor(options: ResourceRegistryOptions, cache?: WatchCache<StoredObject>) {
    const { definition, store, root, codecs, random, now, clock, eventLoop, onCacheError } = options;
    this.#options = options;
    this.definition = definition;
    this.codec = new ObjectCodec(definition, codecs);
    this.keys = new ResourceKeys(root, definition);
    this.store = store;
    this.random = random;
    this.now = now;
    this.eventLoop = eventLoop;
    this.cache =
      cache ??
      new WatchCache({
        store,
        prefix: this.keys.prefix,
        decode: (entry, note) => this.decodeEntry(entry, note),
        sizeOf: ({ line }) => line.length,
        clock,
        random: random.number,
        ...(onCacheError && { onError: onCacheError }),
      });
  }

  /** Returns a registry for the same objects whose errors name the resource of another group. */
  as(groupResource: GroupResource): ResourceRegistry {
    const { definition } = this;
    if (groupResource === definition.groupResource) return this;
    return new ResourceRegistry({ ...this.#options, definition: { ...definition, groupResource } }, this.cache);
  }

  /** Resolves when the watch cache is filled. It is filled on first use, so unused resources cost nothing. */
  ready(): Promise<void> {
    return this.cache.start();
  }

  /**
   * Returns an object. An empty `resourceVersion` sees every write acknowledged before, `0` returns whatever is cached, any other
   * waits for at least that revision. Throws NotFound.
   */
  async get(namespace: string, name: string, resourceVersion: string): Promise<StoredObject> {
    const key = this.keys.key(namespace, name);
    await this.reach(resourceVersion);
    const entry = this.cache.get(key);
    if (!entry) throw this.#absent(key, name);
    return this.definition.versions ? this.shown(entry.value) : entry.value;
  }

  /** Waits until the cache is as fresh as `resourceVersion` requires (see `get`), and returns its revision. */
  async reach(resourceVersion: string): Promise<number> {
    await this.ready();
    try {
      if (resourceVersion === '') return await this.cache.fresh();
      const revision = parseResourceVersion(resourceVersion);
      if (revision > this.cache.revision) await this.cache.waitFor(revision);
    } catch (error) {
      throw fromStoreError(error, this.definition.groupResource, 'get');
    }
    return this.cache.revision;
  }

  /** Creates an object. Throws the ApiErrors that clients get. With `dryRun`, stores nothing. */
  async create(object: KubernetesObject, context: WriteContext, validate?: ValidateWrite): Promise<StoredObject> {
    await this.ready();
    return createObject(this, object, context, validate);
  }

  /** Updates an object by applying `request.change` to its current state, and repeats that after concurrent writes. */
  async update(request: UpdateRequest): Promise<UpdateResult> {
    await this.ready();
    return updateObject(this, request);
  }

  async delete(request: DeletionRequest): Promise<DeleteResult> {
    await this.ready();
    return deleteObject(this, request);
  }

  /** Returns a stored object in this registry's version. */
  shown(stored: StoredObject): StoredObject | Promise<StoredObject> {
    const { versions } = this.definition;
    if (!versions) return stored;
    const pending = versions.prepare([stored]);
    return pending ? pending.then(() => versions.view(stored)) : versions.view(stored);
  }

  /** Like `shown`, but synchronous. The object must have been passed to `prepare` unless it needs no conversion. */
  view(stored: StoredObject): StoredObject {
    return this.definition.versions?.view(stored) ?? stored;
  }

  /** Converts objects so that `view` can return them. Returns undefined when there is nothing to wait for. */
  prepare(objects: readonly StoredObject[]): Promise<void> | undefined {
    return this.definition.versions?.prepare(objects);
  }

  /** Returns whether the object is selected in this registry's version. It must have been prepared unless `selectsStored`. */
  selects(selection: Selection, stored: StoredObject): boolean {
    const { versions } = this.definition;
    return selection.matches(versions && !versions.selectsStored ? versions.view(stored) : stored);
  }

  /** Returns the bytes to store. `own` is the encoding by this registry's codec, if the caller has it. */
  encode(object: KubernetesObject, own = this.codec.encode(object)): Buffer | Promise<Buffer> {
    return this.definition.versions?.encode(object, own) ?? own;
  }

  decodeEntry(entry: KeyValue, note: unknown): StoredObject {
    return this.definition.versions?.decodeEntry(entry, note) ?? this.codec.decodeEntry(entry, note);
  }

  /** Returns the object after a write: the cached one, if the watch cache has received the write already (in-process stores). */
  written(
    key: string,
    stored: Buffer,
    revision: number,
    object: KubernetesObject,
  ): StoredObject | Promise<StoredObject> {
    const cached = this.cache.get(key);
    if (this.definition.versions) {
      const value =
        cached?.revision === revision
          ? cached.value
          : this.decodeEntry({ key, value: stored, createRevision: revision, modRevision: revision }, undefined);
      return this.shown(value);
    }
    if (cached?.revision !== revision) return this.codec.stored(this.codec.withRevision(stored, revision), object);
    cached.value.fresh = undefined;
    return cached.value;
  }

  /** Returns the current object in the cache, which may lag behind writes of other servers. */
  current(key: string): CacheEntry<StoredObject> | undefined {
    return this.cache.get(key);
  }

  /** Returns the current object, read from the store itself. */
  async readThrough(key: string): Promise<CacheEntry<StoredObject> | undefined> {
    const { entry } = await this.store.get(key);
    return entry && this.entryOf(entry);
  }

  entryOf(entry: KeyValue): CacheEntry<StoredObject> {
    return { key: entry.key, revision: entry.modRevision, value: this.decodeEntry(entry, undefined) };
  }

  /** True for etcd: the watch cache may lag behind the store, so a failed precondition is retried on fresh data. */
  get cacheMayBeStale(): boolean {
    return this.store.driver === 'etcd';
  }

  #absent(key: string, name: string): Error {
    const broken = this.cache.undecodable.get(key);
    if (broken) return newInternalError(brokenObject(key, broken));
    return newNotFound(this.definition.groupResource, name);
  }
}
