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
  /** Of all keys: `/registry`. */
  readonly root: string;
  readonly codecs: CodecFactory;
  readonly random: Random;
  readonly now: () => Date;
  /** Of the cache's timers. */
  readonly clock: Clock;
  /** Where others get their turn while large objects are worked on. */
  readonly eventLoop: EventLoop;
  /** Hears of what the cache could not do. */
  readonly onCacheError?: (error: Error) => void;
}

/** Says no to a write that is otherwise ready to be stored: validating admission. `old` is absent on create. */
export type ValidateWrite = (object: KubernetesObject, old: KubernetesObject | undefined) => Promise<void>;

/**
 * The objects of one resource, in whatever versions it is served: what upstream calls a registry store. Objects come
 * and go in their hub version; reads give the bytes the cache has.
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

  /** `cache`: of a registry for the same objects, to be shared. */
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

  /** The same objects under the name that another group has for them: errors tell it. */
  as(groupResource: GroupResource): ResourceRegistry {
    const { definition } = this;
    if (groupResource === definition.groupResource) return this;
    return new ResourceRegistry({ ...this.#options, definition: { ...definition, groupResource } }, this.cache);
  }

  /** The cache is filled when this resource is first asked for: who never uses a kind never pays for it. */
  ready(): Promise<void> {
    return this.cache.start();
  }

  /**
   * The object, as fresh as asked for: `''` sees every write acknowledged before, `'0'` takes what is at hand, any
   * other is the oldest that will do. Throws NotFound.
   */
  async get(namespace: string, name: string, resourceVersion: string): Promise<StoredObject> {
    const key = this.keys.key(namespace, name);
    await this.reach(resourceVersion);
    const entry = this.cache.get(key);
    if (!entry) throw this.#absent(key, name);
    return this.definition.versions ? this.shown(entry.value) : entry.value;
  }

  /** Waits until the cache is as fresh as the resource version asks for, and gives the revision it is at. */
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

  /** Stores a new object. Throws what a client would get. With `dryRun`, stores nothing. */
  async create(object: KubernetesObject, context: WriteContext, validate?: ValidateWrite): Promise<StoredObject> {
    await this.ready();
    return createObject(this, object, context, validate);
  }

  /** Makes a new state of the object's present one, again and again until nobody came in between. */
  async update(request: UpdateRequest): Promise<UpdateResult> {
    await this.ready();
    return updateObject(this, request);
  }

  async delete(request: DeletionRequest): Promise<DeleteResult> {
    await this.ready();
    return deleteObject(this, request);
  }

  /** What is stored as this registry's version has it. */
  shown(stored: StoredObject): StoredObject | Promise<StoredObject> {
    const { versions } = this.definition;
    if (!versions) return stored;
    const pending = versions.prepare([stored]);
    return pending ? pending.then(() => versions.view(stored)) : versions.view(stored);
  }

  /** The same for what `prepare` was called for, or what needs no preparation. */
  view(stored: StoredObject): StoredObject {
    return this.definition.versions?.view(stored) ?? stored;
  }

  /** Sees to it that views can be had. Undefined when there is nothing to wait for. */
  prepare(objects: readonly StoredObject[]): Promise<void> | undefined {
    return this.definition.versions?.prepare(objects);
  }

  /** Whether the object, as this version has it, is selected. It must have been prepared where views are selected. */
  selects(selection: Selection, stored: StoredObject): boolean {
    const { versions } = this.definition;
    return selection.matches(versions && !versions.selectsStored ? versions.view(stored) : stored);
  }

  /** The bytes to store; `own` are those of this registry's codec, where they are known. */
  encode(object: KubernetesObject, own = this.codec.encode(object)): Buffer | Promise<Buffer> {
    return this.definition.versions?.encode(object, own) ?? own;
  }

  decodeEntry(entry: KeyValue, note: unknown): StoredObject {
    return this.definition.versions?.decodeEntry(entry, note) ?? this.codec.decodeEntry(entry, note);
  }

  /** What a write left, from the cache where it is there already: a driver of this process has told it. */
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

  /** What is stored now, by the cache, which with another server's writes may be behind. */
  current(key: string): CacheEntry<StoredObject> | undefined {
    return this.cache.get(key);
  }

  /** The same from the store itself. */
  async readThrough(key: string): Promise<CacheEntry<StoredObject> | undefined> {
    const { entry } = await this.store.get(key);
    return entry && this.entryOf(entry);
  }

  entryOf(entry: KeyValue): CacheEntry<StoredObject> {
    return { key: entry.key, revision: entry.modRevision, value: this.decodeEntry(entry, undefined) };
  }

  /** Whether the cache is behind only by what is on its way: then a failure may be one of old knowledge. */
  get cacheMayBeStale(): boolean {
    return this.store.driver === 'etcd';
  }

  #absent(key: string, name: string): Error {
    const broken = this.cache.undecodable.get(key);
    if (broken) return newInternalError(brokenObject(key, broken));
    return newNotFound(this.definition.groupResource, name);
  }
}
