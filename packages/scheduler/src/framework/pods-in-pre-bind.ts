import { type ChildSignal, childSignal } from '@coxswain/client';

/** Pods whose PreBind plug-ins are running. They can still be aborted, by a pod that preempts them. */
export class PodsInPreBind {
  /** By UID. */
  readonly #pods = new Map<string, ChildSignal>();

  get size(): number {
    return this.#pods.size;
  }

  /** Returns a signal for the PreBind plug-ins. It is aborted by `cancel` and when `parent` is aborted. */
  add(uid: string, parent: AbortSignal): AbortSignal {
    const child = childSignal({ parent });
    this.#pods.set(uid, child);
    return child.signal;
  }

  /** From now on the pod cannot be aborted any more. */
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
