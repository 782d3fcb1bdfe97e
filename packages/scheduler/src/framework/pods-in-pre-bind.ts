import { type ChildSignal, childSignal } from '@coxswain/client';

/** Pods for which PreBind plug-ins are at work: whoever needs their place may still call it off. */
export class PodsInPreBind {
  /** By uid. */
  readonly #pods = new Map<string, ChildSignal>();

  get size(): number {
    return this.#pods.size;
  }

  /** The signal that ends the work, which ends with `parent` too. */
  add(uid: string, parent: AbortSignal): AbortSignal {
    const child = childSignal({ parent });
    this.#pods.set(uid, child);
    return child.signal;
  }

  /** From now on it cannot be called off any more. */
  delete(uid: string): void {
    this.#pods.get(uid)?.dispose();
    this.#pods.delete(uid);
  }

  cancel(uid: string, reason: string): boolean {
    const child = this.#pods.get(uid);
    child?.abort(new Error(reason));
    return child !== undefined;
  }
}
