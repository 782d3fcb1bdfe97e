import { isDns1123Subdomain } from '@coxswain/apimachinery/validation';
import type { Clock } from '../clock/clock.ts';

/** Names for new events: that of the object and the time in nanoseconds, in hexadecimal. */
export class EventNames {
  readonly #clock: Clock;
  readonly #uuid: () => string;
  #last = 0n;

  constructor(clock: Clock, uuid: () => string = () => crypto.randomUUID()) {
    this.#clock = clock;
    this.#uuid = uuid;
  }

  /**
   * A name that this one did not give before, however short the time since; a random one where the object's name makes
   * none for an event.
   */
  next(objectName: string): string {
    const belowMs = Math.floor((this.#clock.monotonic() % 1) * 1e6);
    const now = BigInt(Math.floor(this.#clock.now())) * 1_000_000n + BigInt(belowMs);
    this.#last = now > this.#last ? now : this.#last + 1n;
    const name = `${objectName}.${this.#last.toString(16)}`;
    return isDns1123Subdomain(name).length === 0 ? name : this.#uuid();
  }
}
