export const maxInt64 = 2n ** 63n - 1n;
export const minInt64 = -(2n ** 63n);

export const isInt64 = (value: bigint): boolean => value >= minInt64 && value <= maxInt64;

/** Returns the nearest value that an int64 can hold. */
export const clampInt64 = (value: bigint): bigint =>
  value > maxInt64 ? maxInt64 : value < minInt64 ? minInt64 : value;

const powers: readonly bigint[] = Array.from({ length: 40 }, (_, i) => 10n ** BigInt(i));

/** Has no limit: the exponent must not exceed the number of digits in the input. */
const power = (exponent: number): bigint => powers[exponent] ?? 10n ** BigInt(exponent);

/** Larger exponents do not occur in practice, and computing with them exactly would exhaust the memory. */
const maxPower = 100_000;

/** Throws a RangeError for an exponent that is too large. */
export function pow10(exponent: number): bigint {
  if (exponent > maxPower) throw new RangeError(`quantity exponent ${exponent} is out of range`);
  return power(exponent);
}

const digitCount = (value: bigint): number => (value < 0n ? -value : value).toString().length;

/** Returns `value / 10^digits`, rounded away from zero. */
export function dropDigits(value: bigint, digits: number): bigint {
  if (digits <= 0 || value === 0n) return value;
  const away = value < 0n ? -1n : 1n;
  if (digits > maxPower && digitCount(value) <= digits) return away;
  const divisor = power(digits);
  const quotient = value / divisor;
  return quotient * divisor === value ? quotient : quotient + away;
}

/** Returns `value * 10^digits`; undefined when an int64 cannot hold it. */
export function int64TimesPow10(value: bigint, digits: number): bigint | undefined {
  if (value === 0n) return 0n;
  if (digits > 18) return undefined;
  const product = value * pow10(digits);
  return isInt64(product) ? product : undefined;
}

/** Compares `a * 10^aScale` and `b * 10^bScale`: negative, zero or positive. */
export function compareScaled(a: bigint, aScale: number, b: bigint, bScale: number): number {
  const sign = Math.sign(Number(a));
  const difference = sign - Math.sign(Number(b));
  if (difference !== 0 || sign === 0) return difference;
  if (Math.abs(aScale - bScale) > 40) {
    // When the scales are far apart, the number of digits usually decides. When it does not, the input has that many digits.
    const magnitude = digitCount(a) + aScale - digitCount(b) - bScale;
    if (magnitude !== 0) return sign * magnitude;
  }
  const low = Math.min(aScale, bScale);
  const left = a * power(aScale - low);
  const right = b * power(bScale - low);
  return left < right ? -1 : left > right ? 1 : 0;
}
