import { quote } from '../field/index.ts';
import type { IntOrString } from '../meta/scalars.ts';
import { parseInt64 } from '../strconv/parse-int.ts';

const isInt32 = (value: bigint): boolean => BigInt.asIntN(32, value) === value;

/** Whether a decoded value can be an IntOrString: a string, or an integer of 32 bits. */
export function isIntOrString(value: unknown): value is IntOrString {
  return typeof value === 'string' || (typeof value === 'number' && (value | 0) === value);
}

export const isInt = (value: IntOrString): value is number => typeof value === 'number';

/** A string of digits and a percent sign. */
export const isPercentage = (value: IntOrString): value is string =>
  typeof value === 'string' && /^[0-9]+%$/.test(value);

/** Returns the integer if the text is one of 32 bits, otherwise the text. */
export function parseIntOrString(text: string): IntOrString {
  const value = parseInt64(text);
  return value !== undefined && isInt32(value) ? Number(value) : text;
}

/** Returns the number, or the number that a string contains; zero when it contains none. */
export function intValue(value: IntOrString): number {
  return typeof value === 'number' ? value : Number(parseInt64(value) ?? 0n);
}

/**
 * Returns a number itself, or a percentage of `total`, rounded up or down. Throws an Error with upstream's text for anything else,
 * including a plain number in a string.
 */
export function getScaledValueFromIntOrPercent(
  value: IntOrString | undefined,
  total: number,
  roundUp: boolean,
): number {
  if (value === undefined) throw new Error('nil value for IntOrString');
  if (typeof value === 'number') return value;
  const scaled = (percentOf(value) * total) / 100;
  // Integers have no negative zero.
  return (roundUp ? Math.ceil(scaled) : Math.floor(scaled)) || 0;
}

function percentOf(text: string): number {
  if (!text.endsWith('%')) {
    throw new Error('invalid value for IntOrString: invalid type: string is not a percentage');
  }
  const digits = text.slice(0, -1);
  const percent = parseInt64(digits);
  if (percent !== undefined) return Number(percent);
  const reason = /^[-+]?[0-9]+$/.test(digits) ? 'value out of range' : 'invalid syntax';
  throw new Error(
    `invalid value for IntOrString: invalid value ${quote(text)}: strconv.Atoi: parsing ${quote(digits)}: ${reason}`,
  );
}
