import { parseInt64, quote } from '@coxswain/apimachinery';

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Parses `3` or `3-5`. Throws an Error with upstream's message, also when an index is not below `completions`. */
function parseInterval(text: string, completions: number): Interval {
  const limits = text.split('-');
  if (limits.length > 2)
    throw new Error(
      `the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    );
  const [first, last] = limits.map((limit) => {
    const index = parseInt64(limit);
    if (index === undefined) throw new Error(`cannot convert string to integer for index: ${quote(limit)}`);
    if (index >= completions) throw new Error(`too large index: ${quote(limit)}`);
    return Number(index);
  }) as [number, number?];
  if (last === undefined) return { first, last: first };
  if (first >= last) throw new Error(nonIncreasing(first, last));
  return { first, last };
}

const nonIncreasing = (previous: number, current: number): string =>
  `non-increasing order, previous: ${previous}, current: ${current}`;

/**
 * Returns the number of indexes in a list such as `1,3-5,7`. Throws an Error with upstream's message when the list is
 * malformed, not ascending, or has an index not below `completions`.
 */
export function countIndexes(text: string, completions: number): number {
  if (text === '') return 0;
  let previous: number | undefined;
  let total = 0;
  for (const part of text.split(',')) {
    const { first, last } = parseInterval(part, completions);
    if (previous !== undefined && previous >= first) throw new Error(nonIncreasing(previous, first));
    total += last - first + 1;
    previous = last;
  }
  return total;
}

/** Returns the first index that both lists contain; parts that cannot be parsed are skipped. */
export function firstCommonIndex(a: string, b: string, completions: number): number | undefined {
  const left = readableIntervals(a, completions);
  const right = readableIntervals(b, completions);
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    const x = left[i]!;
    const y = right[j]!;
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) i++;
    else j++;
  }
  return undefined;
}

function readableIntervals(text: string, completions: number): Interval[] {
  if (text === '') return [];
  return text.split(',').flatMap((part) => {
    try {
      return [parseInterval(part, completions)];
    } catch {
      return [];
    }
  });
}
