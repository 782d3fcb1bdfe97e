import { Quantity } from '@coxswain/apimachinery';

const zero = 0x30;

/** Thousandths in the unit of each suffix that common amounts have. */
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

/** The amount in thousandths if it is a common one, that a number holds exactly: most are, and need no big integers. */
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

/** The order of two quantities as JSON has them: negative, zero or positive. */
export function compareAmounts(a: string, b: string): number {
  if (a === b) return 0;
  const left = commonThousandths(a);
  const right = left === undefined ? undefined : commonThousandths(b);
  if (left !== undefined && right !== undefined) return left - right;
  return Quantity.parse(a).cmp(Quantity.parse(b));
}

/** Whether a quantity as JSON has it, in canonical form, is less than nothing. */
export const isNegativeAmount = (amount: string): boolean => amount.startsWith('-');

/** Whether it is a whole number, to the thousandth. */
export function isWholeAmount(amount: string): boolean {
  const common = commonThousandths(amount);
  if (common !== undefined) return common % 1000 === 0;
  const quantity = Quantity.parse(amount);
  const milli = quantity.scaledValue(-3);
  return milli === maxInt64 ? isWholeToUpstream(amount, quantity) : milli % 1000n === 0n;
}

const maxInt64 = 2n ** 63n - 1n;

/**
 * For so many that an int64 cannot count the thousandths, upstream's answer is that of a number of its own: zero for a
 * scaled integer, the low bits of the count for what it holds as a big decimal.
 */
function isWholeToUpstream(amount: string, quantity: Quantity): boolean {
  const isLongNumber = /^[0-9]{19,}$/.test(amount);
  if (!isLongNumber && quantity.format !== 'BinarySI') return true;
  const value = isLongNumber ? BigInt(amount) : quantity.scaledValue(0);
  return BigInt.asIntN(64, value * 1000n) % 1000n === 0n;
}
