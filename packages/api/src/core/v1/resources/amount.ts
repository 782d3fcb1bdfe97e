import { Quantity } from '@coxswain/apimachinery';

const zero = 0x30;

/** Suffixes of common amounts → their unit in thousandths. */
const thousandths: ReadonlyMap<string, number> = new Map([
  ['m', 1],
  ['', 1e3],
  ['k', 1e6],
  ['M', 1e9],
  ['G', 1e12],
  ['Ki', 2 ** 10 * 1e3],
  ['Mi', 2 ** 20 * 1e3],
  ['Gi', 2 ** 30 * 1e3],
]);

/**
 * Returns a common amount in thousandths, if a number holds it exactly; undefined otherwise. Most amounts are common,
 * and need no bigint.
 */
function commonThousandths(text: string): number | undefined {
  let value = 0;
  let i = 0;
  for (; i < text.length; i++) {
    const digit = text.charCodeAt(i) - zero;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  const unit = i === 0 ? undefined : thousandths.get(text.slice(i));
  const total = unit === undefined ? Number.NaN : value * unit;
  return Number.isSafeInteger(total) ? total : undefined;
}

/** Compares two canonical quantities. Returns a negative number, zero or a positive number. */
export function compareAmounts(a: string, b: string): number {
  if (a === b) return 0;
  const left = commonThousandths(a);
  const right = left === undefined ? undefined : commonThousandths(b);
  if (left !== undefined && right !== undefined) return left - right;
  return Quantity.parse(a).cmp(Quantity.parse(b));
}

/** Reports whether a canonical quantity is negative. */
export const isNegativeAmount = (amount: string): boolean => amount.startsWith('-');

/** Reports whether a canonical quantity, rounded up to thousandths, is a whole number. */
export function isWholeAmount(amount: string): boolean {
  const common = commonThousandths(amount);
  if (common !== undefined) return common % 1000 === 0;
  const quantity = Quantity.parse(amount);
  const milli = quantity.scaledValue(-3);
  return milli === maxInt64 ? isWholeToUpstream(amount, quantity) : milli % 1000n === 0n;
}

const maxInt64 = 2n ** 63n - 1n;

/**
 * Computes upstream's result for amounts whose thousandths overflow an int64. Upstream then takes zero thousandths for
 * a scaled integer, and the low bits for a big decimal.
 */
function isWholeToUpstream(amount: string, quantity: Quantity): boolean {
  const isLongNumber = /^[0-9]{19,}$/.test(amount);
  if (!isLongNumber && quantity.format !== 'BinarySI') return true;
  const value = isLongNumber ? BigInt(amount) : quantity.scaledValue(0);
  return BigInt.asIntN(64, value * 1000n) % 1000n === 0n;
}
