import { type EventLoop, systemEventLoop } from './event-loop.ts';

export interface CountingEventLoopOptions {
  /** The milliseconds that each call of `workedMs` counts as. By default, slices of a few milliseconds last for about a hundred calls. */
  readonly msPerLook?: number;
  /** How other work gets its turn; by default through the thread's event loop. */
  readonly onNextTurn?: EventLoop['onNextTurn'];
}

/**
 * Measures work by the number of calls of `workedMs`, not by time: work in slices yields at the same steps in every run, however fast the
 * machine is. Code that does much between two calls blocks the event loop for longer than with the system's loop.
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
