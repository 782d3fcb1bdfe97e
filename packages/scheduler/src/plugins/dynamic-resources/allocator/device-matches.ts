import type { DeviceSelector, DeviceSelectors } from '@coxswain/cel/device';
import { SelectorError } from './allocator.ts';
import type { DeviceEntry } from './device-entry.ts';

/** Evaluates CEL selectors for devices. Results are cached by device object, for all pods and nodes, until the driver updates the slice. */
export class DeviceMatches {
  readonly #selectors: DeviceSelectors;
  readonly #known = new WeakMap<DeviceSelector, WeakMap<DeviceEntry['device'], boolean>>();

  constructor(selectors: DeviceSelectors) {
    this.#selectors = selectors;
  }

  /** Throws SelectorError. */
  matches(expression: string, { device, slice }: DeviceEntry): boolean {
    const selector = this.#selector(expression);
    const known = this.#known.get(selector) ?? new WeakMap<DeviceEntry['device'], boolean>();
    this.#known.set(selector, known);
    let matches = known.get(device);
    if (matches === undefined) {
      try {
        matches = selector.matches({ ...device, driver: slice.spec.driver });
      } catch (cause) {
        throw new SelectorError('runtime', cause);
      }
      known.set(device, matches);
    }
    return matches;
  }

  #selector(expression: string): DeviceSelector {
    try {
      return this.#selectors.get(expression);
    } catch (cause) {
      throw new SelectorError('compile', cause);
    }
  }
}
