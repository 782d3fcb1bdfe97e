/**
 * Returns the size of the static band at the beginning of a range. It is used for automatic allocation only when the rest of the
 * range is full, so that requests for a specific address or port in it usually succeed. Small ranges have none.
 */
export function staticBand(size: number, { min, max, step }: { min: number; max: number; step: number }): number {
  if (size <= min) return 0;
  return Math.min(max, Math.max(min, Math.floor(size / step)));
}
