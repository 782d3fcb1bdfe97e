import type { ResourceSlice } from '@coxswain/api/resource/v1';
import type { Indexer } from '@coxswain/client';
import type { Handle } from '../../framework/handle.ts';
import { SharedKey } from '../../framework/shared-parts.ts';
import { DeviceMatches } from './allocator/device-matches.ts';
import { SliceIndex } from './allocator/slice-index.ts';
import { ClaimTracker } from './claim-tracker.ts';
import { DeviceClasses } from './device-classes.ts';

/** Expressions that are kept compiled: there are few classes, and claims made by one template have the same. */
const compiledSelectors = 100;

/** What is known of devices and claims, by all profiles: what one gives away the others must not. */
export class DeviceManager {
  readonly claims: ClaimTracker;
  readonly classes: DeviceClasses;
  readonly #slices: Indexer<ResourceSlice>;
  /** Of `#indexed`. */
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
   * All slices that there are. Events would tell of changes, but perhaps later than they tell the queue, which brings pods back
   * because of them: so it is looked whether there are any.
   */
  get slices(): SliceIndex {
    if (!this.#isCurrent()) {
      this.#indexed = this.#slices.list();
      this.#index = new SliceIndex(this.#indexed);
    }
    return this.#index;
  }

  /** Undefined before `load` is done. */
  get matches(): DeviceMatches | undefined {
    return this.#matches;
  }

  /** Most clusters have no devices, and should not wait for an expression language when they start. */
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
