const min = -(2n ** 63n);
const max = 2n ** 63n - 1n;

/** A 64-bit integer as objects hold it: a number where that is exact, else a bigint. Undefined beyond 64 bits. */
export function toInt64(value: bigint): number | bigint | undefined {
  if (value < min || value > max) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
