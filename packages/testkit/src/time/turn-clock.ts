import type { TestClock } from './test-clock.ts';

export interface TurnOptions {
  readonly clock: TestClock;
  /** Resolves when all that there is to do at this moment is done. */
  settle(): Promise<void>;
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
 * time for which somebody has made an appointment of more than a minute, such as a CronJob's next run, or the end.
 */
export async function turnClock(byMs: number, options: TurnOptions): Promise<void> {
  const { clock, settle, writes, isEnough = () => false } = options;
  const letGo = clock.hold();
  try {
    await settle();
    const target = clock.monotonic() + byMs;
    let quietAt = clock.monotonic() + quietMs;
    while (!(await isEnough())) {
      const next = Math.max(clock.nextAt ?? target, clock.monotonic());
      if (next >= target) break;
      const before = writes();
      if (next < quietAt) {
        clock.moveTo(next);
        clock.fireDue();
        await settle();
        if (writes() !== before) quietAt = clock.monotonic() + quietMs;
      } else {
        await jump(Math.min((await nextAppointment(options)) ?? target, target), options);
        quietAt = clock.monotonic() + quietMs;
      }
    }
    if (await isEnough()) return;
    clock.moveTo(target);
    clock.fireDue();
    await settle();
  } finally {
    letGo();
  }
}

/** Watches have deadlines of many minutes, too; those of the ones that are renewed now are not among what was there before. */
async function nextAppointment({ clock, settle, renewWatches }: TurnOptions): Promise<number | undefined> {
  const known = clock.appointments(quietMs);
  renewWatches();
  await settle();
  return clock.earliestOf(known);
}

async function jump(to: number, { clock, settle, renewWatches }: TurnOptions): Promise<void> {
  clock.moveTo(to);
  // Otherwise each would be taken for dead: nothing was heard from it for so long.
  renewWatches();
  await settle();
  clock.fireDue((owner) => owner === nodes);
  await settle();
  clock.fireDue();
  await settle();
}
