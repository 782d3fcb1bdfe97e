import { type Clock, sleep } from '@coxswain/client';
import type { Hook, HookRunner } from '../hooks/hook-runner.ts';
import { fateOf } from './fate.ts';

/** Runs hooks as the pod's annotations script them. Without annotations, `sleep` hooks sleep and all others succeed at once. */
export class HollowHooks implements HookRunner {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run({ kind, handler, pod, container }: Hook, signal?: AbortSignal): Promise<void> {
    const { postStart, preStop } = fateOf(pod.metadata.annotations, container.name);
    const script = kind === 'PostStart' ? postStart : preStop;
    if (script === 'fail') throw new Error("scripted by the pod's annotations");
    const takesMs = script?.takesMs ?? Number(handler.sleep?.seconds ?? 0) * 1000;
    if (takesMs > 0) await sleep(this.#clock, takesMs, signal);
  }
}
