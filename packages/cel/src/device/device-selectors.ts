import { CelEnvironment } from '../environment/environment.ts';
import { kubernetesLibraries } from '../library/kubernetes-libraries.ts';
import { BINDINGS_LIBRARY } from '../standard/optional-library.ts';
import { DeviceSelector } from './device-selector.ts';
import { DEVICE } from './device-value.ts';

/** Compiled selectors: those that were needed last, as many as are to be kept. */
export class DeviceSelectors {
  readonly #environment = new CelEnvironment({
    libraries: [...kubernetesLibraries, BINDINGS_LIBRARY],
    variables: { device: DEVICE },
  });
  readonly #size: number;
  /** What was needed last comes last. Errors are kept too: who retries need not compile again. */
  readonly #known = new Map<string, DeviceSelector | Error>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Throws what DeviceSelector does. */
  get(expression: string): DeviceSelector {
    const selector = this.#known.get(expression) ?? this.#compile(expression);
    this.#known.delete(expression);
    this.#known.set(expression, selector);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#size) this.#known.delete(oldest!);
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
