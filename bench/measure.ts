import { aligned } from './comparison.ts';

/** Two implementations of the same operation, measured alternately. */
export interface Contest {
  readonly name: string;
  readonly ours: () => unknown;
  readonly peer: () => unknown;
  readonly peerName: string;
}

export interface Result {
  readonly name: string;
  readonly oursPerSecond: number;
  readonly peerPerSecond: number;
  readonly peerName: string;
  /** Our CPU time divided by the peer's; below 1 ours is faster. Median of all rounds. */
  readonly ratio: number;
}

const rounds = 15;
const roundMs = 60;
/** A server runs for days, so the time until its code is compiled is not measured. */
const warmUpMs = 1500;

/**
 * Runs both in short alternating rounds and compares the CPU time per operation, round by round: other work on the
 * machine affects both alike.
 */
export function measure({ name, ours, peer, peerName }: Contest): Result {
  const batch = { ours: calibrate(ours), peer: calibrate(peer) };
  const costs = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    costs.ours.push(cost(ours, batch.ours));
    costs.peer.push(cost(peer, batch.peer));
  }
  const ratios = costs.ours.map((value, round) => value / costs.peer[round]!);
  return {
    name,
    peerName,
    oursPerSecond: 1e6 / median(costs.ours),
    peerPerSecond: 1e6 / median(costs.peer),
    ratio: median(ratios),
  };
}

/** Returns how many operations fill a round, after the code was compiled. */
function calibrate(operation: () => unknown): number {
  let count = 1;
  for (let spent = 0; spent < warmUpMs * 1000; ) spent += cost(operation, 100) * 100;
  for (;;) {
    const micros = cost(operation, count) * count;
    if (micros > roundMs * 1000) return count;
    count = Math.ceil(count * Math.min(10, Math.max(1.5, (roundMs * 1100) / Math.max(micros, 1))));
  }
}

let sink: unknown;

/** Returns the microseconds of CPU for one operation. */
function cost(operation: () => unknown, count: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) sink = operation();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

export function print(results: readonly Result[]): string {
  void sink;
  const rows = results.map(({ name, oursPerSecond, peerPerSecond, peerName, ratio }) => [
    name,
    Math.round(oursPerSecond).toLocaleString('en'),
    Math.round(peerPerSecond).toLocaleString('en'),
    peerName,
    `${ratio.toFixed(2)}×`,
  ]);
  return aligned([['bench', 'ours/s', 'peer/s', 'peer', 'CPU ours : peer'], ...rows]);
}
