import { sleep } from '@coxswain/client';
import type { Controller, ControllerContext } from './controller.ts';

/** Runs `work` at once, and again each time `periodMs` have passed since the last run ended. */
export class PeriodicTask implements Controller {
  readonly #context: ControllerContext;
  readonly #periodMs: number;
  readonly #work: () => Promise<void>;
  #isWorking = false;

  /** When `work` rejects, the error is logged with the task's name, and the next run takes place as usual. */
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
