import { Pace, STEPS_BETWEEN_YIELDS, type Steps } from '../steps/steps.ts';

/** The number of elements that the runtime sorts in negligible time, unless comparing them takes long. */
const runSize = 512;

/**
 * Sorts stably, like `Array.sort`: first short runs, which are then merged. `weigh` returns the steps for comparing an
 * element.
 */
export function* sortInSteps<T>(
  items: readonly T[],
  order: (a: T, b: T) => number,
  weigh: (item: T) => number,
): Steps<readonly T[]> {
  const pace = new Pace();
  let runs: T[][] = [];
  for (let start = 0, end = 0; start < items.length; start = end) {
    let weight = 0;
    while (end < items.length && end - start < runSize && weight < STEPS_BETWEEN_YIELDS) weight += weigh(items[end++]!);
    runs.push(items.slice(start, end).sort(order));
    if (pace.isOver(4 * weight)) yield pace.taken;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [left, right] = [runs[i], runs[i + 1]];
      if (left !== undefined) merged.push(right === undefined ? left : yield* merge(left, right, order, weigh, pace));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  left: readonly T[],
  right: readonly T[],
  order: (a: T, b: T) => number,
  weigh: (item: T) => number,
  pace: Pace,
): Steps<T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const isLeftOver = j === right.length;
    // Of equal elements, the left one comes first: the sort is stable.
    if (isLeftOver || (i < left.length && order(left[i]!, right[j]!) <= 0)) merged.push(left[i++]!);
    else merged.push(right[j++]!);
    if (pace.isOver(isLeftOver ? 1 : weigh(merged[merged.length - 1]!))) yield pace.taken;
  }
  return merged;
}
