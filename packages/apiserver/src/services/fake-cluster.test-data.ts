import {
  defaulterFor,
  FeatureGates,
  judgeUpdate,
  prepareForCreate,
  prepareForUpdate,
  strategyFor,
  validateCreate,
  validateUpdate,
} from '@coxswain/api';
import {
  cloneJson,
  GroupKind,
  GroupResource,
  GroupVersion,
  type KubernetesObject,
  newAlreadyExists,
  newConflict,
  newInvalid,
  newNotFound,
  timeFromDate,
} from '@coxswain/apimachinery';
import { nodeSignatures } from '@coxswain/client/x509';
import type { KeyValue, Store, WriteResult } from '@coxswain/storage';
import type { InternalApplier, InternalClient, InternalWrite, Lister, Listers } from '../registry/lister.ts';
import type { ResourceHooks } from '../registry/resource-hooks.ts';

type ChangeCallback = (object: KubernetesObject | undefined, old: KubernetesObject | undefined) => void;

interface WithConditions extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { readonly type?: string }[] };
}

const conditionsOf = (object: KubernetesObject) => (object as WithConditions).status?.conditions ?? [];

class FakeResource implements Lister {
  readonly synced = Promise.resolve();
  readonly objects = new Map<string, KubernetesObject>();
  readonly callbacks = new Set<ChangeCallback>();

  get(namespace: string, name: string): KubernetesObject | undefined {
    return this.objects.get(`${namespace}/${name}`);
  }

  list(namespace?: string): KubernetesObject[] {
    const keys = [...this.objects.keys()].sort();
    return keys.filter((key) => !namespace || key.startsWith(`${namespace}/`)).map((key) => this.objects.get(key)!);
  }

  onChange(callback: ChangeCallback): () => void {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  set(namespace: string, name: string, object: KubernetesObject | undefined): void {
    const key = `${namespace}/${name}`;
    const old = this.objects.get(key);
    if (object) this.objects.set(key, object);
    else this.objects.delete(key);
    for (const callback of this.callbacks) callback(object, old);
  }
}

/** Simulates a crash of the server during a write. */
export class CrashError extends Error {
  override readonly name = 'CrashError';
}

/** The objects of a cluster in memory, which all servers of a test share. */
export class FakeCluster implements InternalClient, InternalApplier, Listers {
  readonly store = new FakeStore();
  now = new Date('2026-01-02T03:04:05Z');
  /** All writes, such as `create ipaddresses 10.0.0.1`. */
  readonly writes: string[] = [];
  /** Returns an error for a write that must fail before it changes anything. After a CrashError there is no rollback. */
  fail: (write: string) => Error | undefined = () => undefined;
  /** Returns an error for a write that takes effect but whose response is lost. */
  failAfter: (write: string) => Error | undefined = () => undefined;
  readonly hooks = new Map<string, ResourceHooks<never>>();
  serviceIPFamilies: readonly ('IPv4' | 'IPv6')[] = ['IPv4'];
  readonly #resources = new Map<string, FakeResource>();
  #revision = 0;

  resource(group: string, resource: string): FakeResource {
    const key = `${resource}.${group}`;
    const known = this.#resources.get(key) ?? new FakeResource();
    this.#resources.set(key, known);
    return known;
  }

  // Unlike the real lister, this one does not decode objects, so the type is not checked.
  lister<T extends KubernetesObject>(group: string, resource: string): Lister<T> {
    return this.resource(group, resource) as Lister as Lister<T>;
  }

  async get<T extends KubernetesObject>(group: string, resource: string, namespace: string, name: string): Promise<T> {
    await Promise.resolve();
    return cloneJson(this.#current(group, resource, namespace, name)) as T;
  }

  async create<T extends KubernetesObject>(
    group: string,
    resource: string,
    input: T,
    _write: InternalWrite = {},
    dryRun = false,
  ): Promise<T> {
    let object = cloneJson(input);
    const { namespace = '', name = '' } = object.metadata ?? {};
    const { strategy, context, gk } = this.#kindOf(object);
    defaulterFor(GroupVersion.parse(object.apiVersion ?? '').withKind(object.kind ?? ''))?.(object);
    const begun = strategy.begin?.(object, undefined, context) ?? [];
    if (begun.length > 0) throw newInvalid(gk, name, begun);
    const hooks = this.hooks.get(resource) as ResourceHooks | undefined;
    const reservation = await hooks?.beginCreate?.(object, { ...context, dryRun });
    try {
      object = prepareForCreate(strategy, object, context);
      const errors = validateCreate(strategy, object, context);
      if (errors.length > 0) throw newInvalid(gk, name, errors);
      await this.#write(`create ${resource} ${name}`);
      if (this.resource(group, resource).get(namespace, name))
        throw newAlreadyExists(GroupResource.of(group, resource), name);
      object.metadata = { ...object.metadata, uid: `uid-${this.#revision}`, creationTimestamp: timeFromDate(this.now) };
      if (!dryRun) this.#set(group, resource, object);
      this.#wrote(`create ${resource} ${name}`);
    } catch (error) {
      if (!(error instanceof CrashError)) await reservation?.rollback();
      throw error;
    }
    await reservation?.commit();
    return cloneJson(object);
  }

  async update<T extends KubernetesObject>(
    group: string,
    resource: string,
    input: T,
    { subresource }: InternalWrite = {},
    dryRun = false,
  ): Promise<T> {
    const { namespace = '', name = '', resourceVersion } = input.metadata ?? {};
    const old = this.#current(group, resource, namespace, name) as T;
    const { strategy, context, gk } = this.#kindOf(input);
    if (subresource) {
      const { object, errors } = judgeUpdate(strategy, cloneJson(input) as KubernetesObject, old, context, subresource);
      if (errors.length > 0) throw newInvalid(gk, name, errors);
      await this.#write(`update ${resource}/${subresource} ${name}`);
      this.#expect(group, resource, namespace, name, resourceVersion);
      return cloneJson(this.#set(group, resource, { ...object, kind: input.kind, apiVersion: input.apiVersion })) as T;
    }
    let object = cloneJson(input);
    const { uid, creationTimestamp, resourceVersion: latest } = old.metadata ?? {};
    object.metadata = { ...object.metadata, uid, creationTimestamp, resourceVersion: resourceVersion ?? latest };
    defaulterFor(GroupVersion.parse(object.apiVersion ?? '').withKind(object.kind ?? ''))?.(object);
    const begun = strategy.begin?.(object, old, context) ?? [];
    if (begun.length > 0) throw newInvalid(gk, name, begun);
    const hooks = this.hooks.get(resource) as ResourceHooks | undefined;
    const reservation = await hooks?.beginUpdate?.(object, old, { ...context, dryRun });
    try {
      object = prepareForUpdate(strategy, object, old, context) as T;
      const errors = validateUpdate(strategy, object, old, context);
      if (errors.length > 0) throw newInvalid(gk, name, errors);
      await this.#write(`update ${resource} ${name}`);
      this.#expect(group, resource, namespace, name, old.metadata?.resourceVersion);
      this.#expect(group, resource, namespace, name, resourceVersion);
      if (!dryRun) this.#set(group, resource, object);
      this.#wrote(`update ${resource} ${name}`);
    } catch (error) {
      if (!(error instanceof CrashError)) await reservation?.rollback();
      throw error;
    }
    await reservation?.commit();
    return cloneJson(object);
  }

  /** A simplified apply without managedFields: replaces conditions by type, with an empty reason by default as after decoding. */
  async apply<T extends KubernetesObject>(
    group: string,
    resource: string,
    configuration: T,
    write: InternalWrite,
  ): Promise<T> {
    const { namespace = '', name = '' } = configuration.metadata ?? {};
    const current = cloneJson(this.#current(group, resource, namespace, name)) as T;
    const applied = conditionsOf(configuration);
    const others = conditionsOf(current).filter(({ type }) => !applied.some((one) => one.type === type));
    const conditions = [...others, ...applied.map((condition) => ({ reason: '', ...condition }))];
    return this.update(group, resource, { ...current, status: { conditions } }, write);
  }

  async delete(
    group: string,
    resource: string,
    namespace: string,
    name: string,
    preconditions?: { uid?: string; resourceVersion?: string },
  ): Promise<void> {
    await this.#write(`delete ${resource} ${name}`);
    const old = this.#current(group, resource, namespace, name);
    if (preconditions?.uid && preconditions.uid !== old.metadata?.uid)
      throw newConflict(GroupResource.of(group, resource), name, 'the UID in the precondition does not match');
    this.#expect(group, resource, namespace, name, preconditions?.resourceVersion);
    this.#revision++;
    this.resource(group, resource).set(namespace, name, undefined);
    this.#wrote(`delete ${resource} ${name}`);
    await (this.hooks.get(resource) as ResourceHooks | undefined)?.afterDelete?.(old);
  }

  /** Stores an object as it is, without strategy and hooks. */
  put<T extends KubernetesObject>(group: string, resource: string, object: T): T {
    const metadata = { uid: `uid-${this.#revision}`, creationTimestamp: timeFromDate(this.now), ...object.metadata };
    return this.#set(group, resource, { ...object, metadata });
  }

  #set<T extends KubernetesObject>(group: string, resource: string, object: T): T {
    const { namespace = '', name = '' } = object.metadata ?? {};
    const metadata = { ...object.metadata, resourceVersion: String(++this.#revision) };
    const stored = { ...object, metadata };
    this.resource(group, resource).set(namespace, name, cloneJson(stored));
    object.metadata = metadata;
    return stored;
  }

  #current(group: string, resource: string, namespace: string, name: string): KubernetesObject {
    const object = this.resource(group, resource).get(namespace, name);
    if (!object) throw newNotFound(GroupResource.of(group, resource), name);
    return object;
  }

  #expect(group: string, resource: string, namespace: string, name: string, resourceVersion?: string): void {
    const { metadata } = this.#current(group, resource, namespace, name);
    if (resourceVersion && resourceVersion !== metadata?.resourceVersion)
      throw newConflict(GroupResource.of(group, resource), name, 'the object has been modified');
  }

  #kindOf({ apiVersion = '', kind = '', metadata }: KubernetesObject) {
    const gvk = GroupVersion.parse(apiVersion).withKind(kind);
    const context = {
      features: FeatureGates.defaults,
      now: () => this.now,
      namespace: metadata?.namespace,
      serviceIPFamilies: this.serviceIPFamilies,
      signatures: nodeSignatures,
    };
    return { strategy: strategyFor(gvk) ?? {}, context, gk: GroupKind.of(gvk.group, kind) };
  }

  #wrote(what: string): void {
    const error = this.failAfter(what);
    if (error) throw error;
  }

  async #write(what: string): Promise<void> {
    await Promise.resolve();
    const error = this.fail(what);
    if (error) throw error;
    this.writes.push(what);
  }
}

/** A store without history and watches. */
class FakeStore implements Store {
  readonly driver = 'memory';
  readonly entries = new Map<string, KeyValue & { ttlSeconds?: number }>();
  /** Called before and after each write. An error that they throw is thrown by the write. */
  beforeWrite: () => void = () => {};
  afterPut: () => void = () => {};
  puts = 0;
  #revision = 1;

  checkWritable = async (): Promise<void> => {};
  currentRevision = async (): Promise<number> => this.#revision;
  compactedRevision = async (): Promise<number> => 1;

  async get(key: string) {
    await Promise.resolve();
    return { entry: this.entries.get(key), revision: this.#revision };
  }

  async list(prefix: string) {
    const keys = [...this.entries.keys()].filter((key) => key.startsWith(prefix)).sort();
    return { entries: keys.map((key) => this.entries.get(key)!), revision: this.#revision, remaining: 0 };
  }

  count = async (prefix: string): Promise<number> => (await this.list(prefix)).entries.length;

  async put(key: string, value: Uint8Array, options: { expected: number; ttlSeconds?: number }): Promise<WriteResult> {
    const failure = await this.#check(key, options.expected);
    if (failure) return failure;
    const revision = ++this.#revision;
    this.puts++;
    const createRevision = this.entries.get(key)?.createRevision ?? revision;
    this.entries.set(key, { key, value, createRevision, modRevision: revision, ttlSeconds: options.ttlSeconds });
    this.afterPut();
    return { ok: true, revision };
  }

  async delete(key: string, { expected }: { expected: number }): Promise<WriteResult> {
    const failure = await this.#check(key, expected);
    if (failure) return failure;
    this.entries.delete(key);
    return { ok: true, revision: ++this.#revision };
  }

  /** Deletes all entries with a TTL. */
  expireAll(): void {
    for (const [key, { ttlSeconds }] of this.entries) if (ttlSeconds) this.entries.delete(key);
  }

  watch(): never {
    throw new Error('the fake store has no watches');
  }

  async compact(): Promise<void> {}
  async close(): Promise<void> {}

  async #check(key: string, expected: number): Promise<WriteResult | undefined> {
    await Promise.resolve();
    this.beforeWrite();
    const current = this.entries.get(key);
    if ((current?.modRevision ?? 0) === expected) return undefined;
    return { ok: false, current, revision: this.#revision };
  }
}
