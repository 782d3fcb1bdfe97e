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
export const isWholeAmount = (amount: string): boolean => Quantity.parse(amount).scaledValue(-3) % 1000n === 0n;
