import type { Clock } from '@coxswain/apimachinery/clock';
import { isDns1123Subdomain } from '@coxswain/apimachinery/validation';
import { systemRandom } from '@coxswain/apimachinery/random';

/** Names for new events: that of the object and the time in nanoseconds, in hexadecimal. */
export class EventNames {
  readonly #clock: Clock;
  readonly #uuid: () => string;
  readonly #offset: bigint;
  #last = 0n;

  /**
   * By a clock that stands still, several tell of the same object at the same time; so each source has a microsecond of its own within the
   * millisecond, as far as there are enough of them.
   */
  constructor(clock: Clock, source: string, uuid: () => string = systemRandom.uuid) {
    this.#clock = clock;
    this.#offset = BigInt(1000 * Array.from(source).reduce((sum, unit) => (31 * sum + unit.charCodeAt(0)) % 1000, 0));
    this.#uuid = uuid;
  }

  /**
   * A name that this one did not give before, however short the time since; a random one where the object's name makes
   * none for an event.
   */
  next(objectName: string): string {
    const belowMs = Math.floor((this.#clock.monotonic() % 1) * 1e6);
    const now = BigInt(Math.floor(this.#clock.now())) * 1_000_000n + BigInt(belowMs) + this.#offset;
    this.#last = now > this.#last ? now : this.#last + 1n;
    const name = `${objectName}.${this.#last.toString(16)}`;
    return isDns1123Subdomain(name).length === 0 ? name : this.#uuid();
  }
}
