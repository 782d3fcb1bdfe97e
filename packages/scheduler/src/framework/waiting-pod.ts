import type { Pod } from '@coxswain/api/core/v1';
import { formatDuration } from '@coxswain/apimachinery/time';
import type { Clock, Timer } from '@coxswain/client';
import type { WaitingPod, WaitingPods } from './handle.ts';
import { Status, type StatusCode } from './status.ts';

/** A pod that waits because of Permit plug-ins, for each at most its timeout. */
export class HeldPod implements WaitingPod {
  readonly pod: Pod;
  /** Resolves once: with undefined when all plug-ins have allowed the pod. Never rejects. */
  readonly settled: Promise<Status | undefined>;
  /** By plug-in: the timer of its timeout. */
  readonly #pending = new Map<string, Timer>();
  #settle: (status: Status | undefined) => void = () => {};
  #isSettled = false;

  constructor(pod: Pod, timeoutsMs: ReadonlyMap<string, number>, clock: Clock) {
    this.pod = pod;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    for (const [plugin, timeoutMs] of timeoutsMs) {
      const reject = (): void => {
        const waited = formatDuration(timeoutMs * 1e6);
        this.reject(plugin, `rejected due to timeout after waiting ${waited} at plugin ${plugin}`);
      };
      this.#pending.set(plugin, clock.setTimeout(reject, timeoutMs));
    }
  }

  get pendingPlugins(): readonly string[] {
    return [...this.#pending.keys()];
  }

  allow(plugin: string): void {
    this.#pending.get(plugin)?.cancel();
    this.#pending.delete(plugin);
    if (this.#pending.size === 0) this.#end(undefined);
  }

  reject(plugin: string, message: string): boolean {
    return this.#stop('Unschedulable', plugin, message);
  }

  preempt(plugin: string, message: string): boolean {
    return this.#stop('Error', plugin, message);
  }

  #stop(code: StatusCode, plugin: string, message: string): boolean {
    for (const timer of this.#pending.values()) timer.cancel();
    const status = new Status(code, [message], code === 'Error' ? new Error(message) : undefined);
    if (plugin) status.plugin = plugin;
    return this.#end(status);
  }

  #end(status: Status | undefined): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#settle(status);
    return true;
  }
}

/** The waiting pods of all profiles. Each of them is assumed on a node. */
export class HeldPods implements WaitingPods {
  readonly #pods = new Map<string, HeldPod>();

  get size(): number {
    return this.#pods.size;
  }

  add(held: HeldPod): void {
    this.#pods.set(held.pod.metadata.uid ?? '', held);
  }

  get(uid: string): HeldPod | undefined {
    return this.#pods.get(uid);
  }

  delete(uid: string): void {
    this.#pods.delete(uid);
  }

  [Symbol.iterator](): Iterator<HeldPod> {
    return this.#pods.values();
  }
}
