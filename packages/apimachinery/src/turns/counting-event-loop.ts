import { type EventLoop, systemEventLoop } from './event-loop.ts';

export interface CountingEventLoopOptions {
  /** What each look at the work counts for. The default lets slices of a few milliseconds go for about a hundred looks. */
  readonly msPerLook?: number;
  /** How others get their turn; the thread's own event loop by default. */
  readonly onNextTurn?: EventLoop['onNextTurn'];
}

/**
 * Measures work by how often it is looked at, not by time: what runs in slices yields at the same steps in every run, however
 * fast the machine is. What does much between two looks makes others wait longer than on the machine's own loop.
 */
export class CountingEventLoop implements EventLoop {
  readonly #msPerLook: number;
  readonly #onNextTurn: EventLoop['onNextTurn'];
  #looks = 0;

  constructor({ msPerLook = 0.05, onNextTurn = systemEventLoop.onNextTurn }: CountingEventLoopOptions = {}) {
    this.#msPerLook = msPerLook;
    this.#onNextTurn = onNextTurn;
  }

  workedMs(): number {
    return this.#looks++ * this.#msPerLook;
  }

  onNextTurn(callback: () => void): void {
    this.#onNextTurn(callback);
  }
}
