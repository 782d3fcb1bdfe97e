export const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);
const maxInt32 = 2 ** 31 - 1;
const minInt32 = -(2 ** 31);

/** Rounds up and limits to the int32 range. */
export const ceilToInt32 = (value: number): number => clampInt32(Math.ceil(value));

/** Limits to the int32 range. NaN becomes 0. */
export function clampInt32(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(maxInt32, Math.max(minInt32, value));
}

/** Rounds up and limits to the int64 range. NaN becomes 0. */
export function ceilToInt64(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= Number(maxInt64)) return maxInt64;
  return value <= Number(minInt64) ? minInt64 : BigInt(Math.ceil(value));
}
