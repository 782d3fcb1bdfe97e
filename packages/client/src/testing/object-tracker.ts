import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { readJson, writeJson } from '@coxswain/apimachinery/codec/json';
import {
  ApiError,
  newAlreadyExists,
  newBadRequest,
  newConflict,
  newGenerateNameConflict,
  newNotFound,
  newResourceExpired,
  toStatus,
} from '@coxswain/apimachinery/errors';
import { cloneJson, isJsonObject, jsonEquals } from '@coxswain/apimachinery/json';
import {
  type DeleteOptions,
  GroupVersionKind,
  type GroupVersionResource,
  INITIAL_EVENTS_ANNOTATION_KEY,
  isList,
  type KubernetesList,
  type KubernetesObject,
  type ListOptions,
  NAMESPACE_DEFAULT,
  type ObjectMeta,
} from '@coxswain/apimachinery/meta';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { WatchEvent } from '@coxswain/apimachinery/watch';
import type { Unstructured } from '../dynamic/unstructured.ts';
import { type Change, EventHistory, eventOf } from './event-history.ts';
import { pageOf } from './list-page.ts';
import { objectMatcher } from './object-matcher.ts';
import type { ResourceTable } from './resource-table.ts';

export interface ObjectTrackerOptions {
  readonly clock?: Clock;
  /** For UIDs and generated names; returns a number in [0, 1). */
  readonly random?: () => number;
  /** Selectable fields in addition to name and namespace, by resource (`pods`): `['spec.nodeName']`. */
  readonly selectableFields?: Readonly<Record<string, readonly string[]>>;
}

export interface TrackerWriteOptions {
  /** Return the result without storing it. */
  readonly dryRun?: boolean;
  /** Change only the fields of this subresource; `status` is supported. */
  readonly subresource?: string;
}

/** The letters of generated names: no vowels, and none that look alike. */
const nameLetters = 'bcdfghjklmnpqrstvwxz2456789';
const longestPrefix = 58;
const nameAttempts = 8;

/** An error for which upstream sets only a message, no reason. */
const versionOfNew = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'resourceVersion should not be set on objects to be created',
  code: 400,
};

/**
 * Stores objects in memory like a server: by resource, namespace and name, with resource versions, conflicts,
 * finalizers and watches. Without defaults, validation, conversion between versions or garbage collection.
 *
 * Its methods throw the ApiErrors that a server would return, in upstream's words. Objects are copied in and out.
 */
export class ObjectTracker {
  readonly #table: ResourceTable;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #selectableFields: Readonly<Record<string, readonly string[]>>;
  /** By resource, then by `namespace/name`. */
  readonly #objects = new Map<GroupVersionResource, Map<string, Unstructured>>();
  readonly #history = new EventHistory();
  /** The revision of the last change. The first change has 2, so that an empty list has a version too. */
  #revision = 1;

  constructor(table: ResourceTable, options: ObjectTrackerOptions = {}) {
    this.#table = table;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#selectableFields = options.selectableFields ?? {};
  }

  /**
   * Adds objects, or the items of lists, with their status. Objects need apiVersion and kind. Namespaced objects
   * without a namespace are put into `default`.
   */
  add(...objects: readonly (KubernetesObject | Unstructured)[]): void {
    for (const object of objects) {
      if (isList(object)) {
        this.add(...object.items.filter(isJsonObject));
        continue;
      }
      const gvk = GroupVersionKind.fromObject(object);
      if (gvk.kind === '' || gvk.version === '') throw new Error('an object must say its apiVersion and kind');
      const resource = this.#table.resourceOf(gvk, object.metadata?.namespace !== undefined);
      const namespaced = this.#table.get(resource)?.namespaced;
      const namespace = namespaced ? object.metadata?.namespace || NAMESPACE_DEFAULT : '';
      this.#create(resource, namespace, { ...object });
    }
  }

  get(resource: GroupVersionResource, namespace: string, name: string): Unstructured {
    return cloneJson(this.#find(resource, namespace, name));
  }

  /** Lists the objects of one namespace, or of all when it is empty, ordered by namespace and name. */
  list(resource: GroupVersionResource, namespace: string, options: ListOptions = {}): KubernetesList<Unstructured> {
    const { items, metadata } = pageOf(this.#select(resource, namespace, options), options);
    return {
      kind: `${this.#table.get(resource)?.kind ?? ''}List`,
      apiVersion: resource.groupVersion.toString(),
      metadata: { resourceVersion: String(this.#revision), ...metadata },
      items: cloneJson(items),
    };
  }

  create(
    resource: GroupVersionResource,
    namespace: string,
    object: KubernetesObject | Unstructured,
    { dryRun = false }: TrackerWriteOptions = {},
  ): Unstructured {
    const { resourceVersion, uid, creationTimestamp, deletionTimestamp, ...metadata } = object.metadata ?? {};
    if (resourceVersion) throw new ApiError(versionOfNew);
    const { status, ...rest }: Unstructured = { ...object, metadata };
    const keepsStatus = this.#table.get(resource, 'status') === undefined;
    return cloneJson(this.#create(resource, namespace, keepsStatus ? { ...rest, status } : rest, dryRun));
  }

  /** Replaces an object; with a resourceVersion only if the object still has it. */
  update(
    resource: GroupVersionResource,
    namespace: string,
    object: KubernetesObject | Unstructured,
    { dryRun = false, subresource = '' }: TrackerWriteOptions = {},
  ): Unstructured {
    const name = object.metadata?.name ?? '';
    assertNamespace(object, namespace);
    const current = this.#find(resource, namespace, name);
    this.#assertCurrent(resource, object.metadata ?? {}, current);
    const next = this.#replacement(resource, current, { ...object }, subresource);
    if (jsonEquals(next, current)) return cloneJson(current);
    if (!dryRun && isGone(next.metadata ?? {})) {
      this.#remove(resource, current, next);
      return cloneJson(next);
    }
    return cloneJson(this.#commit(resource, 'MODIFIED', next, current, dryRun));
  }

  /** Deletes an object and returns undefined. If it has finalizers, marks it for deletion and returns it. */
  delete(
    resource: GroupVersionResource,
    namespace: string,
    name: string,
    { preconditions, dryRun }: DeleteOptions = {},
  ): Unstructured | undefined {
    const current = this.#find(resource, namespace, name);
    const metadata = current.metadata ?? {};
    for (const [what, wanted, found] of [
      ['UID', preconditions?.uid, metadata.uid],
      ['ResourceVersion', preconditions?.resourceVersion, metadata.resourceVersion],
    ] as const) {
      if (wanted === undefined || wanted === found) continue;
      throw newConflict(
        resource.groupResource,
        name,
        `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
      );
    }
    const isDryRun = dryRun !== undefined && dryRun.length > 0;
    if ((metadata.finalizers ?? []).length === 0) {
      if (!isDryRun) this.#remove(resource, current, current);
      return undefined;
    }
    if (metadata.deletionTimestamp !== undefined) return cloneJson(current);
    const marked = { ...metadata, deletionTimestamp: this.#now(), deletionGracePeriodSeconds: 0 };
    return cloneJson(this.#commit(resource, 'MODIFIED', { ...current, metadata: marked }, current, isDryRun));
  }

  /** Deletes the selected objects one by one. Returns them as they were before. */
  deleteCollection(
    resource: GroupVersionResource,
    namespace: string,
    which: ListOptions = {},
    options: DeleteOptions = {},
  ): KubernetesList<Unstructured> {
    const list = this.list(resource, namespace, which);
    for (const { metadata } of list.items) {
      this.delete(resource, metadata?.namespace ?? '', metadata?.name ?? '', options);
    }
    return list;
  }

  /**
   * Calls the listener with the events of a watch: synchronously with the existing objects or the changes since the
   * resourceVersion, then with every change until the returned function is called. For an expired resourceVersion it
   * sends only an `ERROR` event.
   */
  watch(
    resource: GroupVersionResource,
    namespace: string,
    options: ListOptions,
    listener: (event: WatchEvent<Unstructured>) => void,
  ): () => void {
    const matches = this.#matcher(resource, namespace, options);
    const send = (change: Change): void => {
      const event = change.resource === resource ? eventOf(change, matches) : undefined;
      if (event) listener(cloneJson(event));
    };
    const { resourceVersion = '', sendInitialEvents } = options;
    const wantsState = sendInitialEvents ?? (resourceVersion === '' || resourceVersion === '0');
    if (wantsState) {
      for (const object of this.#select(resource, namespace, options)) {
        listener({ type: 'ADDED', object: cloneJson(object) });
      }
      if (sendInitialEvents) listener(this.#bookmark(resource));
    } else if (resourceVersion !== '' && resourceVersion !== '0') {
      const changes = this.#history.after(Number(resourceVersion));
      if (!changes) {
        const message = `too old resource version: ${resourceVersion} (${this.#history.forgotten})`;
        listener({ type: 'ERROR', object: toStatus(newResourceExpired(message)) });
        return () => {};
      }
      for (const change of changes) send(change);
    }
    return this.#history.subscribe(send);
  }

  #create(resource: GroupVersionResource, namespace: string, given: Unstructured, dryRun = false): Unstructured {
    assertNamespace(given, namespace);
    const { kind = '' } = this.#table.get(resource) ?? {};
    const { metadata = {}, ...rest } = wireForm(given);
    const name = this.#freeName(resource, namespace, metadata);
    if (this.#of(resource).has(keyOf(namespace, name))) throw newAlreadyExists(resource.groupResource, name);
    const object: Unstructured = {
      apiVersion: resource.groupVersion.toString(),
      kind,
      metadata: {
        ...metadata,
        name,
        ...(namespace !== '' && { namespace }),
        uid: metadata.uid ?? this.#uid(),
        creationTimestamp: metadata.creationTimestamp ?? this.#now(),
        ...('spec' in rest && { generation: metadata.generation ?? 1 }),
      },
      ...rest,
    };
    return this.#commit(resource, 'ADDED', object, undefined, dryRun);
  }

  #freeName(resource: GroupVersionResource, namespace: string, { name, generateName }: ObjectMeta): string {
    if (name) return name;
    if (!generateName) throw newBadRequest('name or generateName is required');
    let generated = '';
    for (let attempt = 0; attempt < nameAttempts; attempt++) {
      const suffix = Array.from({ length: 5 }, () => nameLetters[Math.floor(this.#random() * nameLetters.length)]);
      generated = generateName.slice(0, longestPrefix) + suffix.join('');
      if (!this.#of(resource).has(keyOf(namespace, generated))) return generated;
    }
    throw newGenerateNameConflict(resource.groupResource, generated, 1);
  }

  /** Returns the object after an update, with the fields of the server and of other subresources unchanged. */
  #replacement(
    resource: GroupVersionResource,
    current: Unstructured,
    object: Unstructured,
    subresource: string,
  ): Unstructured {
    if (subresource === 'status') return wireForm({ ...current, status: object.status });
    const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, resourceVersion } =
      current.metadata ?? {};
    const kept = { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, resourceVersion };
    const namespace = current.metadata?.namespace;
    const next: Unstructured = wireForm({
      ...object,
      apiVersion: current.apiVersion,
      kind: current.kind,
      metadata: { ...object.metadata, namespace, ...kept },
      status: this.#table.get(resource, 'status') ? current.status : object.status,
    });
    if (generation === undefined || jsonEquals(desiredOf(next), desiredOf(current))) return next;
    return { ...next, metadata: { ...next.metadata, generation: generation + 1 } };
  }

  #assertCurrent(resource: GroupVersionResource, given: ObjectMeta, { metadata: current = {} }: Unstructured): void {
    const { groupResource } = resource;
    const name = current.name ?? '';
    if (given.uid && given.uid !== current.uid) {
      const what = `Precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${current.uid}`;
      throw newConflict(groupResource, name, what);
    }
    if (given.resourceVersion && given.resourceVersion !== current.resourceVersion) {
      const what = 'the object has been modified; please apply your changes to the latest version and try again';
      throw newConflict(groupResource, name, what);
    }
  }

  #remove(resource: GroupVersionResource, previous: Unstructured, last: Unstructured): void {
    this.#commit(resource, 'DELETED', last, previous, false);
  }

  /** Stores the object with the next revision, and notifies watches. */
  #commit(
    resource: GroupVersionResource,
    type: Change['type'],
    object: Unstructured,
    previous: Unstructured | undefined,
    dryRun: boolean,
  ): Unstructured {
    if (dryRun) return object;
    const revision = ++this.#revision;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    const key = keyOf(stored.metadata.namespace ?? '', stored.metadata.name ?? '');
    if (type === 'DELETED') this.#of(resource).delete(key);
    else this.#of(resource).set(key, stored);
    this.#history.add({ revision, resource, type, object: stored, ...(previous && { previous }) });
    return stored;
  }

  #find(resource: GroupVersionResource, namespace: string, name: string): Unstructured {
    const object = this.#objects.get(resource)?.get(keyOf(namespace, name));
    if (!object) throw newNotFound(resource.groupResource, name);
    return object;
  }

  #select(resource: GroupVersionResource, namespace: string, options: ListOptions): Unstructured[] {
    const matches = this.#matcher(resource, namespace, options);
    return [...(this.#objects.get(resource) ?? [])]
      .filter(([, object]) => matches(object))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  #matcher(
    resource: GroupVersionResource,
    namespace: string,
    options: ListOptions,
  ): (object: KubernetesObject) => boolean {
    const fields = Object.hasOwn(this.#selectableFields, resource.resource)
      ? this.#selectableFields[resource.resource]
      : [];
    const isSelected = objectMatcher(options, fields);
    return (object) => (namespace === '' || object.metadata?.namespace === namespace) && isSelected(object);
  }

  #bookmark(resource: GroupVersionResource): WatchEvent<Unstructured> {
    const annotations = { [INITIAL_EVENTS_ANNOTATION_KEY]: 'true' };
    return {
      type: 'BOOKMARK',
      object: {
        kind: this.#table.get(resource)?.kind ?? '',
        apiVersion: resource.groupVersion.toString(),
        metadata: { resourceVersion: String(this.#revision), annotations },
      },
    };
  }

  #of(resource: GroupVersionResource): Map<string, Unstructured> {
    let objects = this.#objects.get(resource);
    if (!objects) {
      objects = new Map();
      this.#objects.set(resource, objects);
    }
    return objects;
  }

  #now(): string {
    return timeFromDate(new Date(this.#clock.now())) ?? '';
  }

  #uid(): string {
    const digit = (): string => Math.floor(this.#random() * 16).toString(16);
    return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', digit);
  }
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** Marked for deletion, without finalizers. */
const isGone = ({ deletionTimestamp, finalizers = [] }: ObjectMeta): boolean =>
  deletionTimestamp !== undefined && finalizers.length === 0;

/** The object without metadata and status. */
function desiredOf({ metadata: _, status: __, ...desired }: Unstructured): object {
  return desired;
}

/** A copy as it is sent over the network, without undefined values. */
function wireForm<T>(value: T): T;
function wireForm(value: unknown): unknown {
  return readJson(writeJson(value));
}

function assertNamespace({ metadata }: KubernetesObject, namespace: string): void {
  if (!metadata?.namespace || metadata.namespace === namespace) return;
  throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request');
}
