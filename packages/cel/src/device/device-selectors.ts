import { LruCache } from '@coxswain/apimachinery/cache';
import { CelEnvironment } from '../environment/environment.ts';
import { kubernetesLibraries } from '../library/kubernetes-libraries.ts';
import { BINDINGS_LIBRARY } from '../standard/optional-library.ts';
import { DeviceSelector } from './device-selector.ts';
import { DEVICE } from './device-value.ts';

/** An LRU cache of compiled selectors. */
export class DeviceSelectors {
  readonly #environment = new CelEnvironment({
    libraries: [...kubernetesLibraries, BINDINGS_LIBRARY],
    variables: { device: DEVICE },
  });
  /** Errors are cached too, so that retries need not compile again. */
  readonly #known: LruCache<string, DeviceSelector | Error>;

  constructor(size: number) {
    this.#known = new LruCache(size);
  }

  /** Returns the compiled selector. Throws like the constructor of DeviceSelector. */
  get(expression: string): DeviceSelector {
    let selector = this.#known.get(expression);
    if (!selector) {
      selector = this.#compile(expression);
      this.#known.set(expression, selector);
    }
    if (selector instanceof Error) throw selector;
    return selector;
  }

  #compile(expression: string): DeviceSelector | Error {
    try {
      return new DeviceSelector(expression, this.#environment);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}
