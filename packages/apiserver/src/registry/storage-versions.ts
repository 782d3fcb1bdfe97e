import type { KubernetesObject } from '@coxswain/apimachinery';
import type { CacheEntry, KeyValue } from '@coxswain/storage';
import type { StoredObject } from './stored-object.ts';

/**
 * Converts between the version of a registry and the versions in which its objects are stored. Custom resources have no hub
 * version: each served version has its own registry over the same objects, and conversion may need a webhook call. The cache
 * keeps objects in the version they are stored in. A registry returns views of them in its own version.
 */
export interface StorageVersions {
  /** Decodes a stored value for the watch cache. `note` is the object itself when this server has just written it. */
  decodeEntry(entry: KeyValue, note: unknown): StoredObject;
  /** Returns the object in the registry's version. Throws when `prepare` was needed but not called. */
  view(stored: StoredObject): StoredObject;
  /** Makes the views that need asynchronous conversion. Returns undefined when there are none. Rejects when a conversion fails. */
  prepare(objects: readonly StoredObject[]): Promise<void> | undefined;
  /** Whether selectors can be evaluated on the stored objects, because views have the same labels and fields. */
  readonly selectsStored: boolean;
  /** Returns the bytes to store for an object in the registry's version. `bytes` is its encoding in that version. */
  encode(object: KubernetesObject, bytes: Buffer): Buffer | Promise<Buffer>;
  /** Returns whether storing the bytes would not change the stored value. */
  isStored(bytes: Buffer, entry: CacheEntry<StoredObject>): boolean;
}
