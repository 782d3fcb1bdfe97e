/** A claim to a part of the total: in proportion to `wanted`, within the bounds `least` and `most`. */
interface Claim {
  /** At least `least`. */
  readonly wanted: number;
  readonly least: number;
  readonly most: number;
}

interface Allocation {
  readonly shares: number[];
  /** The factor by which `wanted` is multiplied for claims within their bounds. */
  readonly fairFraction: number;
}

/** A minimum for `wanted`, because proportions to zero are undefined. */
const minWanted = 0.001;
const tolerance = 1e-7;

/** Divides all of `total` among the claims. Returns undefined when the bounds do not allow it. */
export function allocate(total: number, claims: readonly Claim[]): Allocation | undefined {
  const items = claims.map(({ wanted, least, most }) => ({ wanted: Math.max(wanted, minWanted), least, most }));
  const sharesAt = (fraction: number): number[] =>
    items.map(({ wanted, least, most }) => Math.max(least, Math.min(most, fraction * wanted)));
  const leastSum = sum(items.map(({ least }) => least));
  const mostSum = sum(items.map(({ most }) => most));
  if (leastSum - total > tolerance || total - mostSum > tolerance) return undefined;
  if (total === 0) return { shares: items.map(() => 0), fairFraction: 0 };
  const lowest = items.map(({ wanted, least }) => least / wanted);
  const highest = items.map(({ wanted, most }) => most / wanted);
  if (leastSum - total > -tolerance)
    return { shares: items.map(({ least }) => least), fairFraction: Math.min(...lowest) };
  if (total - mostSum > -tolerance)
    return { shares: items.map(({ most }) => most), fairFraction: Math.max(...highest) };
  // The sum of the shares is a piecewise linear, increasing function of the fraction, which bends at the bounds. Find the last
  // bound at which the sum is still below the total, and interpolate from there.
  const bounds = [...lowest, ...highest].sort((a, b) => a - b);
  let below = 0;
  let above = bounds.length - 1;
  while (above - below > 1) {
    const middle = (below + above) >> 1;
    if (sum(sharesAt(bounds[middle]!)) < total) below = middle;
    else above = middle;
  }
  const [from, to] = [bounds[below]!, bounds[above]!];
  const [fromSum, toSum] = [sum(sharesAt(from)), sum(sharesAt(to))];
  const fairFraction = toSum === fromSum ? to : from + ((to - from) * (total - fromSum)) / (toSum - fromSum);
  return { shares: sharesAt(fairFraction), fairFraction };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
