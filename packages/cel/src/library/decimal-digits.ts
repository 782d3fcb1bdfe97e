/** A positive number as `0.d₁d₂d₃… × 10^point`, without leading or trailing zeros; no digits for zero. */
export interface DecimalDigits {
  readonly digits: string;
  readonly point: number;
}

const view = new DataView(new ArrayBuffer(8));

/** Returns all digits of the exact value of a finite double; there can be hundreds. */
export function exactDigits(value: number): DecimalDigits {
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? fraction : fraction | 0x10000000000000n;
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  // A negative power of two is a power of five with the decimal point moved.
  const scaled = power >= 0 ? mantissa << BigInt(power) : mantissa * 5n ** BigInt(-power);
  return trimmed(scaled.toString(), power >= 0 ? 0 : power);
}

/** Returns the fewest digits that identify a finite double. */
export function shortestDigits(value: number): DecimalDigits {
  const [mantissa = '', exponent = ''] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  return trimmed(digits, Number(exponent) + 1 - digits.length);
}

function trimmed(integer: string, exponent: number): DecimalDigits {
  const digits = integer.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return { digits: digits.slice(0, end), point: end === 0 ? 0 : digits.length + exponent };
}

/** Rounds to this number of digits: to the nearest, halves to even. */
export function roundDigits({ digits, point }: DecimalDigits, kept: number): DecimalDigits {
  if (kept >= digits.length) return { digits, point };
  if (kept < 0) return { digits: '', point: 0 };
  const next = digits[kept]!;
  const isOdd = kept > 0 && Number(digits[kept - 1]) % 2 === 1;
  const roundsUp = next > '5' || (next === '5' && (kept + 1 < digits.length || isOdd));
  const head = digits.slice(0, kept);
  if (!roundsUp) return trimmed(head, point - kept);
  return trimmed((BigInt(head || '0') + 1n).toString(), point - kept);
}
