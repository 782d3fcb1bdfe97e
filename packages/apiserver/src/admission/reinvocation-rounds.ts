import { cloneJson, jsonEquals, type KubernetesObject } from '@coxswain/apimachinery';
import { type AdmissionAttributes, Reinvocation } from './admission.ts';

/** Records which webhooks or policies of a plug-in were called, and which must be called again after later changes. */
export class ReinvocationRounds {
  readonly #reinvocation: Reinvocation;
  #previouslyCalled = new Set<string>();
  readonly #again = new Set<string>();
  #lastOutput: KubernetesObject | undefined;

  private constructor(reinvocation: Reinvocation) {
    this.#reinvocation = reinvocation;
  }

  /** Returns the record for this write and plug-in, which is the same in both rounds. */
  static of(attributes: AdmissionAttributes, plugin: string): ReinvocationRounds {
    const reinvocation = Reinvocation.of(attributes);
    const known = reinvocation.memory.get(plugin);
    const rounds = known instanceof ReinvocationRounds ? known : new ReinvocationRounds(reinvocation);
    reinvocation.memory.set(plugin, rounds);
    // Another plug-in has changed the object since.
    if (reinvocation.isReinvoke && !jsonEquals(rounds.#lastOutput, attributes.object)) rounds.#callAgain();
    return rounds;
  }

  get number(): number {
    return this.#reinvocation.isReinvoke ? 1 : 0;
  }

  /** Whether to call it in this round. The second round only repeats calls, and makes no new ones. */
  concerns(id: string): boolean {
    return !this.#reinvocation.isReinvoke || this.#again.has(id);
  }

  /** `ifNeeded`: whether it must be called again after later changes. */
  called(id: string, ifNeeded: boolean): void {
    if (ifNeeded) this.#previouslyCalled.add(id);
  }

  /** Must be called when the object was changed. */
  changed(): void {
    this.#callAgain();
    this.#reinvocation.wanted = true;
  }

  ended(object: KubernetesObject | undefined): void {
    // Only compared when something may be called again.
    if (this.#previouslyCalled.size > 0) this.#lastOutput = cloneJson(object);
  }

  #callAgain(): void {
    for (const id of this.#previouslyCalled) this.#again.add(id);
    this.#previouslyCalled = new Set();
  }
}
