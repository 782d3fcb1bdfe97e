const min = -(2n ** 63n);
const max = 2n ** 63n - 1n;

/** Returns a 64-bit integer in the form that objects hold: a number where that is exact, otherwise a bigint. Undefined beyond 64 bits. */
export function toInt64(value: bigint): number | bigint | undefined {
  if (value < min || value > max) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
