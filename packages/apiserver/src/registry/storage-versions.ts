import type { KubernetesObject } from '@coxswain/apimachinery';
import type { CacheEntry, KeyValue } from '@coxswain/storage';
import type { StoredObject } from './stored-object.ts';

/**
 * Between the one version that a registry speaks and those that its objects are stored in: custom resources have no hub,
 * each served version has a registry of its own over the same objects, and to convert them may take a call elsewhere.
 * What is cached stays in the version it is stored in; a registry shows the objects as views of its own version.
 */
export interface StorageVersions {
  /** What the cache keeps of a stored value. `note` is the object itself when this server has just written it. */
  decodeEntry(entry: KeyValue, note: unknown): StoredObject;
  /** The object in the registry's version. Throws for one that `prepare` had to be called for. */
  view(stored: StoredObject): StoredObject;
  /** Makes the views that take time. Undefined: there is nothing to wait for. Rejects when one cannot be made. */
  prepare(objects: readonly StoredObject[]): Promise<void> | undefined;
  /** Whether selectors may be asked of what is stored, since views have the same labels and fields. */
  readonly selectsStored: boolean;
  /** The bytes to store of an object in the registry's version, in which it is encoded as `bytes`. */
  encode(object: KubernetesObject, bytes: Buffer): Buffer | Promise<Buffer>;
  /** Whether to store the bytes in place of what is there would change nothing. */
  isStored(bytes: Buffer, entry: CacheEntry<StoredObject>): boolean;
}
