import type { ResourceSlice } from '@coxswain/api/resource/v1';
import type { Indexer } from '@coxswain/client';
import type { Handle } from '../../framework/handle.ts';
import { SharedKey } from '../../framework/shared-parts.ts';
import { DeviceMatches } from './allocator/device-matches.ts';
import { SliceIndex } from './allocator/slice-index.ts';
import { ClaimTracker } from './claim-tracker.ts';
import { DeviceClasses } from './device-classes.ts';

/** Number of compiled expressions to cache: there are few classes, and claims of one template share their expressions. */
const compiledSelectors = 100;

/** The state of devices and claims, shared by all profiles so that no device is allocated twice. */
export class DeviceManager {
  readonly claims: ClaimTracker;
  readonly classes: DeviceClasses;
  readonly #slices: Indexer<ResourceSlice>;
  /** Built from `#indexed`. */
  #index = new SliceIndex([]);
  #indexed: readonly ResourceSlice[] = [];
  #matches: DeviceMatches | undefined;
  #loading: Promise<void> | undefined;

  constructor({ informers, clock }: Pick<Handle, 'informers' | 'clock'>) {
    const { resourceClaims, deviceClasses, resourceSlices } = informers.resource.v1;
    this.claims = new ClaimTracker(resourceClaims.informer, clock);
    this.classes = new DeviceClasses(deviceClasses.informer);
    this.#slices = resourceSlices.informer.indexer;
  }

  /**
   * An index of all current slices. Changes are detected by comparing with the informer's cache: an event handler might run after the
   * queue's handler, which retries pods because of the same event.
   */
  get slices(): SliceIndex {
    if (!this.#isCurrent()) {
      this.#indexed = this.#slices.list();
      this.#index = new SliceIndex(this.#indexed);
    }
    return this.#index;
  }

  /** Undefined until `load` has finished. */
  get matches(): DeviceMatches | undefined {
    return this.#matches;
  }

  /** Loads the CEL library. Most clusters have no devices, so it is not loaded at startup. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    const { DeviceSelectors } = await import('@coxswain/cel/device');
    this.#matches = new DeviceMatches(new DeviceSelectors(compiledSelectors));
  }

  #isCurrent(): boolean {
    if (this.#slices.size !== this.#indexed.length) return false;
    let at = 0;
    for (const slice of this.#slices.values()) if (slice !== this.#indexed[at++]) return false;
    return true;
  }
}

export const deviceManager = new SharedKey<DeviceManager>('DeviceManager');
