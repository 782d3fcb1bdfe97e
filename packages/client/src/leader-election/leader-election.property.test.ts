import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeaderElector } from './leader-elector.ts';
import { LeaseLock } from './lease-lock.ts';
import { LeaseServer, unreachable } from './lease-server.test-data.ts';

/** Simulated time. Each step ends when all pending promises have settled. */
class SimulatedTime {
  nowMs = 0;
  readonly #waiting = new Set<{ readonly at: number; readonly callback: () => void }>();

  setTimeout(callback: () => void, delayMs: number): Timer {
    const waiting = { at: this.nowMs + Math.max(0, delayMs), callback };
    this.#waiting.add(waiting);
    return { cancel: () => this.#waiting.delete(waiting) };
  }

  async runUntil(endMs: number, afterEachStep: () => void): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      afterEachStep();
      let next: { readonly at: number; readonly callback: () => void } | undefined;
      for (const waiting of this.#waiting) if (!next || waiting.at < next.at) next = waiting;
      if (!next || next.at > endMs) break;
      this.#waiting.delete(next);
      this.nowMs = next.at;
      next.callback();
    }
    this.nowMs = endMs;
  }
}

interface Machine {
  /** Offset and rate of its clock. */
  readonly offsetMs: number;
  readonly rate: number;
}

/** A machine with a candidate; it can be suspended, disconnected and slowed down. */
class Simulation implements Clock {
  readonly elector: LeaderElector;
  readonly done: Promise<void>;
  isSuspended = false;
  isCutOff = false;
  /** Responses are lost, but requests arrive. */
  isDeaf = false;
  latencyMs = 5;
  terms = 0;
  readonly #held: (() => void)[] = [];
  readonly #time: SimulatedTime;
  readonly #machine: Machine;
  #leading: AbortSignal | undefined;

  constructor(identity: string, server: LeaseServer, time: SimulatedTime, machine: Machine, random: () => number) {
    this.#time = time;
    this.#machine = machine;
    const leases = server.client({
      sending: async () => {
        await this.#after(this.latencyMs);
        if (this.isCutOff) throw unreachable();
      },
      answering: async () => {
        await this.#after(this.latencyMs);
        if (this.isCutOff || this.isDeaf) throw unreachable();
      },
    });
    this.elector = new LeaderElector({
      lock: new LeaseLock({ leases, name: 'job', identity }),
      clock: this,
      random,
      releaseOnCancel: true,
      callbacks: {
        onStartedLeading: (signal) => {
          this.terms++;
          this.#leading = signal;
          return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        },
      },
    });
    this.done = this.#run();
  }

  readonly stop = new AbortController();

  async #run(): Promise<void> {
    while (!this.stop.signal.aborted) await this.elector.run(this.stop.signal);
  }

  /** Whether it is doing the leader's work; false while it is suspended. */
  get leads(): boolean {
    return !this.isSuspended && this.#leading?.aborted === false && this.elector.isLeader;
  }

  suspend(): void {
    this.isSuspended = true;
  }

  resume(): void {
    this.isSuspended = false;
    for (const callback of this.#held.splice(0)) callback();
  }

  now(): number {
    return Date.UTC(2026, 0, 1) + this.monotonic() + this.#machine.offsetMs;
  }

  monotonic(): number {
    return this.#time.nowMs * this.#machine.rate;
  }

  setTimeout(callback: () => void, delayMs: number): Timer {
    let isCancelled = false;
    const run = (): void => {
      if (isCancelled) return;
      if (this.isSuspended) this.#held.push(run);
      else callback();
    };
    const timer = this.#time.setTimeout(run, delayMs / this.#machine.rate);
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  /** Waits on the machine's own clock, so that nothing arrives while it is suspended. */
  #after(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.setTimeout(resolve, delayMs));
  }
}

const faults = {
  suspend: { begin: (one: Simulation) => one.suspend(), end: (one: Simulation) => one.resume() },
  cutOff: {
    begin: (one: Simulation) => {
      one.isCutOff = true;
    },
    end: (one: Simulation) => {
      one.isCutOff = false;
    },
  },
  deaf: {
    begin: (one: Simulation) => {
      one.isDeaf = true;
    },
    end: (one: Simulation) => {
      one.isDeaf = false;
    },
  },
  slow: {
    begin: (one: Simulation) => {
      one.latencyMs = 4000;
    },
    end: (one: Simulation) => {
      one.latencyMs = 5;
    },
  },
} as const;

const count = 3;
const machine = fc.record({
  offsetMs: fc.integer({ min: -86_400_000, max: 86_400_000 }),
  rate: fc.double({ min: 0.9, max: 1.1, noNaN: true }),
});
const fault = fc.record({
  kind: fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[])),
  who: fc.nat(count - 1),
  atMs: fc.integer({ min: 0, max: 90_000 }),
  forMs: fc.integer({ min: 1, max: 40_000 }),
});

describe('leader election with faults of clocks, networks and machines', () => {
  it('never has two leaders, and has a leader soon after the last fault', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(machine, { minLength: count, maxLength: count }),
        fc.array(fault, { maxLength: 12 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })),
        async (machines, planned, randoms) => {
          const time = new SimulatedTime();
          const server = new LeaseServer();
          const random = (): number => randoms.next().value;
          const all = machines.map((one, i) => new Simulation(`candidate-${i}`, server, time, one, random));
          const leaders = (): Simulation[] => all.filter((one) => one.leads);
          const check = (): void => expect(leaders().length).toBeLessThanOrEqual(1);
          let lastMs = 0;
          for (const { kind, who, atMs, forMs } of planned) {
            time.setTimeout(() => faults[kind].begin(all[who]!), atMs);
            time.setTimeout(() => faults[kind].end(all[who]!), atMs + forMs);
            lastMs = Math.max(lastMs, atMs + forMs);
          }
          // By then the lease has expired, hanging requests have timed out, and a candidate has retried.
          await time.runUntil(lastMs + 45_000, check);
          expect(leaders()).toHaveLength(1);

          // A dead leader is replaced as soon as its lease has expired.
          const [dead] = leaders();
          dead!.suspend();
          await time.runUntil(time.nowMs + 15_000 / 0.9 + 2 * 4400 + 100, check);
          expect(leaders()).toHaveLength(1);

          // A cancelled leader is replaced at once.
          const [cancelled] = leaders();
          cancelled!.stop.abort();
          await time.runUntil(time.nowMs + 2 * 4400 + 100, check);
          expect(leaders()).toHaveLength(1);
          for (const one of all) {
            one.stop.abort();
            one.resume();
          }
          await time.runUntil(time.nowMs + 30_000, check);
          await Promise.all(all.map((one) => one.done));
        },
      ),
      { numRuns: 60 },
    );
  });
});
