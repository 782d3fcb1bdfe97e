import type { TestClock } from './test-clock.ts';

export interface TurnOptions {
  readonly clock: TestClock;
  /** Resolves when there is no work left at this time. Without heartbeats, it may resolve before all watches have received them. */
  settle(withHeartbeats: boolean): Promise<void>;
  /** Ends all watches, which clients then restart, as servers do every few minutes. */
  renewWatches(): void;
  /** Returns the number of writes without heartbeats. */
  writes(): number;
  /** Returns true to stop early. */
  isEnough?(): boolean | Promise<boolean>;
}

/**
 * When nothing was written for this long, timers at shorter intervals have no visible effect: heartbeats, checks of nodes, probes that
 * always pass. A minute is longer than all of these intervals.
 */
const quietMs = 61_000;

/** The owner whose timers fire first after a jump: nodes must renew their leases before other components check them. */
const nodes = 'nodes';

/**
 * Advances a clock from timer to timer, and waits after each until no work is left. When nothing happens, it jumps to the next timer that
 * was set for more than a minute, such as a CronJob's next run, or to the end. When such a timer has no effect (an hourly check for
 * garbage, for example), timers with the same or a shorter delay that were set since the last write would have no effect either, so they
 * are skipped.
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
  /** From this time on the cluster counts as quiet, if nothing is written before. */
  #quietAt: number;
  /** The time of the last write. */
  #changedAt: number;
  /** Timers with at most this delay had no effect since the last write. */
  #idleMs = 0;
  /** The delay of the timer that the last jump was for. */
  #keptMs = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#changedAt = options.clock.monotonic();
    this.#quietAt = this.#changedAt + quietMs;
  }

  /** Advances to the next timer, or jumps further when the cluster is quiet. */
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

  /**
   * Returns the timer to jump to. Watches have deadlines of many minutes too, so they are renewed first: their new timers are not among the
   * known ones.
   */
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
    // Otherwise clients would consider the watches dead, because nothing was received for so long.
    renewWatches();
    await settle(true);
    clock.fireDue((owner) => owner === nodes);
    await settle(true);
    clock.fireDue();
    await settle(true);
  }
}
