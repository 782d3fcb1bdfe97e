import { ownEntry, setOwnEntry } from '../json/own-entry.ts';
import type { ObjectMeta } from './object-meta.ts';
import type { KubernetesList, KubernetesObject } from './type-meta.ts';

/** Returns the object's metadata for writing; creates it if there is none. */
export function ensureMetadata(object: KubernetesObject): ObjectMeta {
  object.metadata ??= {};
  return object.metadata;
}

/** Returns `namespace/name`, or the name alone for an object without a namespace: the key of caches and queues. */
export function objectKey(object: KubernetesObject): string {
  const { namespace = '', name = '' } = object.metadata ?? {};
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The inverse of objectKey. Throws when there is more than one slash. */
export function splitObjectKey(key: string): { namespace: string; name: string } {
  const parts = key.split('/');
  if (parts.length === 1) return { namespace: '', name: key };
  if (parts.length === 2) return { namespace: parts[0]!, name: parts[1]! };
  throw new Error(`unexpected key format: ${JSON.stringify(key)}`);
}

/** Returns the label's own value, never an inherited property, whatever the key. */
export const getLabel = (object: KubernetesObject, key: string): string | undefined =>
  ownEntry(object.metadata?.labels, key);

export const getAnnotation = (object: KubernetesObject, key: string): string | undefined =>
  ownEntry(object.metadata?.annotations, key);

export function setLabel(object: KubernetesObject, key: string, value: string): void {
  const metadata = ensureMetadata(object);
  metadata.labels ??= {};
  setOwnEntry(metadata.labels, key, value);
}

export function setAnnotation(object: KubernetesObject, key: string, value: string): void {
  const metadata = ensureMetadata(object);
  metadata.annotations ??= {};
  setOwnEntry(metadata.annotations, key, value);
}

export const hasFinalizer = (object: KubernetesObject, finalizer: string): boolean =>
  object.metadata?.finalizers?.includes(finalizer) ?? false;

/** Returns whether the finalizer was added. */
export function addFinalizer(object: KubernetesObject, finalizer: string): boolean {
  if (hasFinalizer(object, finalizer)) return false;
  const metadata = ensureMetadata(object);
  metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  return true;
}

/** Returns whether the finalizer was removed. */
export function removeFinalizer(object: KubernetesObject, finalizer: string): boolean {
  if (!hasFinalizer(object, finalizer)) return false;
  const metadata = ensureMetadata(object);
  metadata.finalizers = metadata.finalizers?.filter((other) => other !== finalizer);
  return true;
}

/** Whether deletion was requested. The object exists until its finalizers are removed. */
export const isBeingDeleted = (object: KubernetesObject): boolean => object.metadata?.deletionTimestamp !== undefined;

/** Whether an object is a list: it has an array of items. */
export const isList = (object: unknown): object is KubernetesList<unknown> =>
  typeof object === 'object' && object !== null && 'items' in object && Array.isArray(object.items);
