import { cloneJson, jsonEquals, type KubernetesObject } from '@coxswain/apimachinery';
import { type AdmissionAttributes, Reinvocation } from './admission.ts';

/** Who of a plug-in was called before, and who is to be called again because something has changed since. */
export class ReinvocationRounds {
  readonly #reinvocation: Reinvocation;
  #previouslyCalled = new Set<string>();
  readonly #again = new Set<string>();
  #lastOutput: KubernetesObject | undefined;

  private constructor(reinvocation: Reinvocation) {
    this.#reinvocation = reinvocation;
  }

  /** Of this write and plug-in, the same in both rounds. */
  static of(attributes: AdmissionAttributes, plugin: string): ReinvocationRounds {
    const reinvocation = Reinvocation.of(attributes);
    const known = reinvocation.memory.get(plugin);
    const rounds = known instanceof ReinvocationRounds ? known : new ReinvocationRounds(reinvocation);
    reinvocation.memory.set(plugin, rounds);
    // Somebody else has changed the object since.
    if (reinvocation.isReinvoke && !jsonEquals(rounds.#lastOutput, attributes.object)) rounds.#callAgain();
    return rounds;
  }

  get number(): number {
    return this.#reinvocation.isReinvoke ? 1 : 0;
  }

  /** In the second round only those that want it; nobody is called there for the first time. */
  concerns(id: string): boolean {
    return !this.#reinvocation.isReinvoke || this.#again.has(id);
  }

  /** `ifNeeded`: whether it is to hear of what changes after it. */
  called(id: string, ifNeeded: boolean): void {
    if (ifNeeded) this.#previouslyCalled.add(id);
  }

  /** The object is another now. */
  changed(): void {
    this.#callAgain();
    this.#reinvocation.wanted = true;
  }

  ended(object: KubernetesObject | undefined): void {
    // Nobody else would ask.
    if (this.#previouslyCalled.size > 0) this.#lastOutput = cloneJson(object);
  }

  #callAgain(): void {
    for (const id of this.#previouslyCalled) this.#again.add(id);
    this.#previouslyCalled = new Set();
  }
}
