import type { Clock } from '@coxswain/apimachinery/clock';
import { errorCodes, Http2Error } from './http2-error.ts';

/** Maximum budget: the number of frames in a row. */
const most = 1000;
/** Budget earned per second: servers send pings and settings on idle connections. */
const perSecond = 10;
/** Budget earned per request, for window updates and informational responses. */
const perRequest = 20;
/** One frame of budget is earned per this many bytes of a body, for window updates. */
const bytesPerFrame = 1024;

/**
 * Limits the number of frames that carry no part of a response: PING, SETTINGS, WINDOW_UPDATE, empty DATA and so on.
 * They cost the server nothing and us some work. Time, requests and bodies in both directions increase the budget.
 */
export class FrameBudget {
  readonly #clock: Clock;
  #left = most;
  #checkedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#checkedAtMs = clock.monotonic();
  }

  /** Throws an `Http2Error` when the budget is exceeded. */
  spend(count = 1): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    const now = this.#clock.monotonic();
    this.#earn(Math.floor(((now - this.#checkedAtMs) / 1000) * perSecond));
    this.#checkedAtMs = now;
    if (this.#left < 0) throw new Http2Error('too many frames without data', errorCodes.enhanceYourCalm);
  }

  onRequest(): void {
    this.#earn(perRequest);
  }

  onBody(bytes: number): void {
    if (bytes >= bytesPerFrame) this.#earn(Math.floor(bytes / bytesPerFrame));
  }

  #earn(count: number): void {
    this.#left = Math.min(most, this.#left + count);
  }
}
