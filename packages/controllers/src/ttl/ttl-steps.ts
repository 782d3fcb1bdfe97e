/** The ranges overlap, so that small changes at a limit do not change the step back and forth. */
const steps = [
  { fewest: 0, most: 100, ttlSeconds: 0 },
  { fewest: 90, most: 500, ttlSeconds: 15 },
  { fewest: 450, most: 1000, ttlSeconds: 30 },
  { fewest: 900, most: 2000, ttlSeconds: 60 },
  { fewest: 1800, most: Number.POSITIVE_INFINITY, ttlSeconds: 300 },
] as const;

/** Returns the step for this number of nodes: the one closest to `current` whose range contains the number. */
export function stepFor(nodeCount: number, current: number): number {
  let step = current;
  while (nodeCount > limits(step).most) step++;
  while (nodeCount < limits(step).fewest) step--;
  return step;
}

export const ttlSecondsAt = (step: number): number => limits(step).ttlSeconds;

function limits(step: number): (typeof steps)[number] {
  const found = steps[step];
  if (!found) throw new RangeError(`bug: no step ${step}`);
  return found;
}
