import type { CharacterSet } from './syntax.ts';

/** The characters from the first to the last, both included. */
export type CharacterRange = readonly [first: number, last: number];

/** Returns the set of the characters in some ranges. A lookup is a binary search. */
export function rangeSet(ranges: readonly CharacterRange[]): CharacterSet {
  const merged: [first: number, last: number][] = [];
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    const previous = merged.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  const [only] = merged;
  if (only && merged.length === 1) return (code) => code >= only[0] && code <= only[1];
  const starts = merged.map(([first]) => first);
  return (code) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= code) low = middle + 1;
      else high = middle;
    }
    return low > 0 && code <= merged[low - 1]![1];
  };
}
