/**
 * How many of a range, from its beginning, are given out unasked only when nothing else is free, so that who asks for
 * one there has a good chance to get it: a share of the range, within limits. A small range has no such band.
 */
export function staticBand(size: number, { min, max, step }: { min: number; max: number; step: number }): number {
  if (size <= min) return 0;
  return Math.min(max, Math.max(min, Math.floor(size / step)));
}
