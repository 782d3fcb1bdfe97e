import type { Clock } from '@coxswain/apimachinery/clock';
import { isDns1123Subdomain } from '@coxswain/apimachinery/validation';
import { systemRandom } from '@coxswain/apimachinery/random';

/** Generates event names: the object's name and the time in nanoseconds, in hexadecimal. */
export class EventNames {
  readonly #clock: Clock;
  readonly #uuid: () => string;
  readonly #offset: bigint;
  #last = 0n;

  /**
   * When the clock stands still, several sources may report about one object at the same time. So each source has its
   * own microsecond offset within the millisecond, a hash of its name modulo 1000.
   */
  constructor(clock: Clock, source: string, uuid: () => string = systemRandom.uuid) {
    this.#clock = clock;
    this.#offset = BigInt(1000 * Array.from(source).reduce((sum, unit) => (31 * sum + unit.charCodeAt(0)) % 1000, 0));
    this.#uuid = uuid;
  }

  /**
   * Returns a name that this object has not returned before, even within one nanosecond. Returns a random one when the
   * object's name is not valid in an event name.
   */
  next(objectName: string): string {
    const belowMs = Math.floor((this.#clock.monotonic() % 1) * 1e6);
    const now = BigInt(Math.floor(this.#clock.now())) * 1_000_000n + BigInt(belowMs) + this.#offset;
    this.#last = now > this.#last ? now : this.#last + 1n;
    const name = `${objectName}.${this.#last.toString(16)}`;
    return isDns1123Subdomain(name).length === 0 ? name : this.#uuid();
  }
}
