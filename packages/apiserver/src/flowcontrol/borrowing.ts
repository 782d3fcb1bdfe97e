import type { PriorityLevel } from './priority-level.ts';
import { allocate } from './seat-allocation.ts';

interface SeatPlan {
  /** By level: its new concurrency limit, and its target, which ignores what other levels need. */
  readonly seats: ReadonlyMap<PriorityLevel, { readonly limit: number; readonly target: number }>;
  readonly fairFraction: number;
}

/**
 * Divides the server's seats among the levels by their demand in the last period. Each level gets at least its minimum (the seats
 * it does not lend) and at least what it used of its nominal seats. The rest is divided in proportion to demand.
 */
export function planSeats(levels: readonly PriorityLevel[]): SeatPlan {
  const total = sum(levels.map(({ limits }) => limits.nominal));
  // Exempt levels are not limited: they get what they used.
  const exempt = levels.filter(({ isExempt }) => isExempt);
  const limited = levels.filter(({ isExempt }) => !isExempt);
  const taken = sum(exempt.map(exemptSeats));
  const mins = sum(limited.map(({ limits }) => limits.min));
  const used = sum(limited.map(leastSeats));
  const left = total - taken;
  const claims = limited.map((level) => ({
    least: leastSeats(level),
    most: level.limits.max,
    wanted: Math.max(leastSeats(level), level.queueSet.demand.smoothed),
  }));
  // As upstream, this divides all seats, not only those that exempt levels leave.
  const allocation = left > used ? allocate(total, claims) : undefined;
  const part = left <= mins ? 0 : (left - mins) / (used - mins);
  const limitOf = (level: PriorityLevel, index: number): number => {
    const { min } = level.limits;
    if (left <= used) return min + Math.round((leastSeats(level) - min) * part);
    // Without an allocation, the bounds contradict each other. The limit stays as it is.
    return allocation ? Math.round(allocation.shares[index]!) : level.queueSet.limit || level.limits.nominal;
  };
  const seats = new Map(
    limited.map((level, index) => [level, { limit: limitOf(level, index), target: claims[index]!.wanted }]),
  );
  for (const level of exempt) seats.set(level, { limit: exemptSeats(level), target: exemptSeats(level) });
  return { seats, fairFraction: allocation?.fairFraction ?? 0 };
}

const exemptSeats = ({ limits, queueSet }: PriorityLevel): number =>
  Math.max(limits.min, queueSet.demand.highWatermark);

const leastSeats = ({ limits, queueSet }: PriorityLevel): number =>
  Math.max(limits.min, Math.min(limits.nominal, queueSet.demand.highWatermark));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
