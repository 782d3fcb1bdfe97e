import { sleep } from '@coxswain/client';
import type { Controller, ControllerContext } from './controller.ts';

/** Something done at once and then again and again, so long after it was last done. */
export class PeriodicTask implements Controller {
  readonly #context: ControllerContext;
  readonly #periodMs: number;
  readonly #work: () => Promise<void>;
  #isWorking = false;

  /** What `work` rejects with is logged under the name, and it is done again at its time. */
  constructor(context: ControllerContext, name: string, periodMs: number, work: () => Promise<void>) {
    this.#context = context;
    this.#periodMs = periodMs;
    this.#work = () =>
      work().catch((error: unknown) => context.logger.error('Periodic task failed', error, { task: name }));
    context.activity.add(this);
  }

  get isIdle(): boolean {
    return !this.#isWorking;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isWorking = true;
      await this.#work();
      this.#isWorking = false;
      await sleep(this.#context.clock, this.#periodMs, signal).catch(() => {});
    }
  }
}
