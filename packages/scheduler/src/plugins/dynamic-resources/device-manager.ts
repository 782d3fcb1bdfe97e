import type { ResourceSlice } from '@coxswain/api/resource/v1';
import type { Handle } from '../../framework/handle.ts';
import { SharedKey } from '../../framework/shared-parts.ts';
import type { DeviceMatches } from './allocator/device-matches.ts';
import { SliceIndex } from './allocator/slice-index.ts';
import { ClaimTracker } from './claim-tracker.ts';
import { DeviceClasses } from './device-classes.ts';

/** Expressions that are kept compiled: there are few classes, and claims made by one template have the same. */
const compiledSelectors = 100;

/** What is known of devices and claims, by all profiles: what one gives away the others must not. */
export class DeviceManager {
  readonly claims: ClaimTracker;
  readonly classes: DeviceClasses;
  readonly #slices: Iterable<ResourceSlice> & object;
  #index: SliceIndex | undefined;
  #matches: DeviceMatches | undefined;
  #loading: Promise<void> | undefined;

  constructor({ informers, clock }: Pick<Handle, 'informers' | 'clock'>) {
    const { resourceClaims, deviceClasses, resourceSlices } = informers.resource.v1;
    this.claims = new ClaimTracker(resourceClaims.informer, clock);
    this.classes = new DeviceClasses(deviceClasses.informer);
    const { indexer } = resourceSlices.informer;
    this.#slices = { [Symbol.iterator]: () => indexer.values() };
    const forget = (): void => {
      this.#index = undefined;
    };
    resourceSlices.informer.addEventHandler({ onAdd: forget, onUpdate: forget, onDelete: forget });
  }

  /** All slices that there are. */
  get slices(): SliceIndex {
    this.#index ??= new SliceIndex(this.#slices);
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
    const [{ DeviceSelectors }, { DeviceMatches }] = await Promise.all([
      import('@coxswain/cel/device'),
      import('./allocator/device-matches.ts'),
    ]);
    this.#matches = new DeviceMatches(new DeviceSelectors(compiledSelectors));
  }
}

export const deviceManager = new SharedKey<DeviceManager>('DeviceManager');
