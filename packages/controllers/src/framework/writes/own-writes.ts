import type { SharedInformer } from '@coxswain/client';

/** How long to wait for own writes. This is a fallback: the event of the written object queues the owner again anyway. */
export const lookForOwnWritesMs = 1000;

/**
 * The writes of a controller for an owner that its caches may not contain yet. A controller that waits for them does not undo or
 * repeat them because of a stale cache.
 *
 * Holds one version per informer for each owner that has written since `areSeen` last returned true.
 */
export class OwnWrites {
  readonly #owners = new Map<string, Map<SharedInformer, string>>();

  /** Records a write: the informer's cache is stale for the owner until it reaches this version. */
  wrote(ownerKey: string, informer: SharedInformer, resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    const versions = this.#owners.get(ownerKey) ?? new Map<SharedInformer, string>();
    const known = versions.get(informer);
    if (known === undefined || isNewerVersion(resourceVersion, known)) versions.set(informer, resourceVersion);
    this.#owners.set(ownerKey, versions);
  }

  /** Whether the caches contain everything that was written for the owner. */
  areSeen(ownerKey: string): boolean {
    for (const [informer, version] of this.#owners.get(ownerKey) ?? []) {
      if (isNewerVersion(version, informer.lastSyncResourceVersion)) return false;
    }
    this.forget(ownerKey);
    return true;
  }

  /** Must be called when the owner is deleted. */
  forget(ownerKey: string): void {
    this.#owners.delete(ownerKey);
  }
}

/** Whether `version` is newer than `than`. False when one is not a number: such versions cannot be compared. */
export function isNewerVersion(version: string, than: string): boolean {
  if (!/^[1-9]\d*$/.test(version) || !/^[1-9]\d*$/.test(than)) return false;
  return version.length === than.length ? version > than : version.length > than.length;
}
