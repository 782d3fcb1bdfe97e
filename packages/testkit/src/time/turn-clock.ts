import type { TestClock } from './test-clock.ts';

export interface TurnOptions {
  readonly clock: TestClock;
  /** Resolves when all that there is to do at this moment is done; without heartbeats, perhaps before all know of them. */
  settle(withHeartbeats: boolean): Promise<void>;
  /** Lets every watch begin anew, as servers do every few minutes. */
  renewWatches(): void;
  /** Counts what has been written that somebody could tell: all but heartbeats. */
  writes(): number;
  /** Ends the turning early. */
  isEnough?(): boolean | Promise<boolean>;
}

/**
 * When nothing was written for so long, then whatever comes at shorter intervals does nothing that anybody could tell:
 * heartbeats, looks at nodes, probes that always pass. A minute is longer than all of these intervals.
 */
const quietMs = 61_000;

/** Whose timers go first after a jump: nodes are to have shown that they live before anybody looks. */
const nodes = 'nodes';

/**
 * Turns a clock from timer to timer, and lets everything come to rest after each. Where nothing happens it jumps: to the next
 * time for which somebody has made an appointment of more than a minute, such as a CronJob's next run, or the end. When one comes
 * to nothing (a look every hour whether there is anything to clean up), then the next of that length, or less, which was made
 * since anything happened, would come to nothing, too: it is not kept.
 */
export async function turnClock(byMs: number, options: TurnOptions): Promise<void> {
  const { clock, settle, isEnough = () => false } = options;
  const letGo = clock.hold();
  try {
    await settle(true);
    const target = clock.monotonic() + byMs;
    const turning = new Turning(options);
    while (!(await isEnough())) {
      const next = Math.max(clock.nextAt ?? target, clock.monotonic());
      if (next < target) await turning.step(next, target);
      else {
        clock.moveTo(target);
        clock.fireDue();
        await settle(true);
        return;
      }
    }
  } finally {
    letGo();
  }
}

class Turning {
  readonly #options: TurnOptions;
  /** If nothing is written until then, it is quiet. */
  #quietAt: number;
  /** When something was last written. */
  #changedAt: number;
  /** Appointments of no more than this came to nothing since. */
  #idleMs = 0;
  /** What the last jump was for. */
  #keptMs = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#changedAt = options.clock.monotonic();
    this.#quietAt = this.#changedAt + quietMs;
  }

  /** To the next timer, or further where nothing happens. */
  async step(next: number, target: number): Promise<void> {
    const { clock, settle, writes } = this.#options;
    const before = writes();
    if (next < this.#quietAt) {
      clock.moveTo(next);
      clock.fireDue();
      await settle(false);
    } else {
      this.#idleMs = Math.max(this.#idleMs, this.#keptMs);
      const appointment = await this.#nextAppointment();
      this.#keptMs = appointment?.delayMs ?? 0;
      await this.#jump(Math.min(appointment?.at ?? target, target));
      this.#quietAt = clock.monotonic() + quietMs;
    }
    if (writes() === before) return;
    this.#changedAt = clock.monotonic();
    this.#quietAt = this.#changedAt + quietMs;
    this.#keptMs = 0;
    this.#idleMs = 0;
  }

  /** Watches have deadlines of many minutes, too; those of the ones that are renewed now are not among what was there before. */
  async #nextAppointment() {
    const { clock, settle, renewWatches } = this.#options;
    const known = clock.appointments(
      ({ delayMs, setAt }) => delayMs > quietMs && (delayMs > this.#idleMs || setAt <= this.#changedAt),
    );
    renewWatches();
    await settle(true);
    return clock.earliestOf(known);
  }

  async #jump(to: number): Promise<void> {
    const { clock, settle, renewWatches } = this.#options;
    clock.moveTo(to);
    // Otherwise each would be taken for dead: nothing was heard from it for so long.
    renewWatches();
    await settle(true);
    clock.fireDue((owner) => owner === nodes);
    await settle(true);
    clock.fireDue();
    await settle(true);
  }
}
