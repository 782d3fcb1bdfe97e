import type { Clock } from '@coxswain/apimachinery/clock';
import { errorCodes, Http2Error } from './http2-error.ts';

/** So many frames may come in a row. */
const most = 1000;
/** An idle connection has time for so many: servers ping, and change their settings. */
const perSecond = 10;
/** Every request lets the server send so many more: windows for its body, provisional answers. */
const perRequest = 20;
/** A server may tell of its windows as often as once for so many bytes of a body. */
const bytesPerFrame = 1024;

/**
 * How many frames the server may send that bring no part of an answer: PING, SETTINGS, WINDOW_UPDATE, empty DATA and their like.
 * They cost it nothing and us some work. Time, requests and bodies in either direction earn more.
 */
export class FrameBudget {
  readonly #clock: Clock;
  #left = most;
  #checkedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#checkedAtMs = clock.monotonic();
  }

  /** Throws an `Http2Error` when there were too many. */
  spend(count = 1): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    const now = this.#clock.monotonic();
    this.#earn(Math.floor(((now - this.#checkedAtMs) / 1000) * perSecond));
    this.#checkedAtMs = now;
    if (this.#left < 0) throw new Http2Error('it sends frames for nothing', errorCodes.enhanceYourCalm);
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
