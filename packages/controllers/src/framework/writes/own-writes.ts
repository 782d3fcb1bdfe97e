import type { SharedInformer } from '@coxswain/client';

/** How long to wait for own writes. Only a safety net: seeing what was written brings the owner back into the queue. */
export const lookForOwnWritesMs = 1000;

/**
 * What a controller wrote on behalf of an owner and may not have seen in its caches yet. A controller that waits for its own
 * writes does not undo or repeat them on account of an old cache.
 *
 * Holds one version per informer for each owner that wrote since it last looked.
 */
export class OwnWrites {
  readonly #owners = new Map<string, Map<SharedInformer, string>>();

  /** The owner's part in what the informer shows is as of this version, or later. */
  wrote(ownerKey: string, informer: SharedInformer, resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    const versions = this.#owners.get(ownerKey) ?? new Map<SharedInformer, string>();
    const known = versions.get(informer);
    if (known === undefined || isNewerVersion(resourceVersion, known)) versions.set(informer, resourceVersion);
    this.#owners.set(ownerKey, versions);
  }

  /** Whether the caches have everything that was written for the owner. */
  areSeen(ownerKey: string): boolean {
    for (const [informer, version] of this.#owners.get(ownerKey) ?? []) {
      if (isNewerVersion(version, informer.lastSyncResourceVersion)) return false;
    }
    this.forget(ownerKey);
    return true;
  }

  /** To be called when the owner is gone. */
  forget(ownerKey: string): void {
    this.#owners.delete(ownerKey);
  }
}

/** Versions that are no numbers cannot be compared: then nothing is waited for. */
export function isNewerVersion(version: string, than: string): boolean {
  if (!/^[1-9]\d*$/.test(version) || !/^[1-9]\d*$/.test(than)) return false;
  return version.length === than.length ? version > than : version.length > than.length;
}
