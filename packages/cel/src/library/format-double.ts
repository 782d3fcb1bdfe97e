import { exactDigits, roundDigits, shortestDigits } from './decimal-digits.ts';

/** Upstream's result for a precision that it does not support. */
const refused = '%!(NOVERB)';
const isRefused = (precision: number): boolean => Math.floor(precision / 10) > 1_000_000;

/** The maximum number of digits after the decimal point of a double. */
const maxFraction = 1100;

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞';
}

/** Returns the integer part and between `least` and `most` digits after the decimal point. */
function fixedParts(value: number, least: number, most: number): [whole: string, fraction: string] {
  const all = most < 0 ? shortestDigits(value) : exactDigits(value);
  const { digits, point } = most < 0 ? all : roundDigits(all, all.point + Math.min(most, maxFraction));
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const fraction = point > 0 ? digits.slice(point) : digits && '0'.repeat(-point) + digits;
  return [whole, fraction.padEnd(least, '0')];
}

/** Formats a double inside lists and maps, with this number of digits after the decimal point. */
export function formatPlain(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [whole, fraction] = fixedParts(value, precision, precision);
  return `${value < 0 || Object.is(value, -0) ? '-' : ''}${whole}.${fraction}`;
}

/**
 * Formats `%.3f` like upstream: with commas between thousands. Large precisions are truncated as upstream does, which
 * also limits the length of the result.
 */
export function formatFixed(value: number, precision: number): string {
  if (isRefused(precision)) return refused;
  const word = special(value);
  if (word !== undefined) return word;
  const [whole, fraction] = fixedParts(value, precision & 0xff, (precision << 16) >> 16);
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
  return `${value < 0 ? '-' : ''}${grouped}${fraction && `.${fraction}`}`;
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const mantissaDigits = 6;

/** Formats `%e` like upstream: `1.234568×10⁰⁷`. Upstream uses the precision as the width. */
export function formatScientific(value: number, width: number): string {
  if (isRefused(width)) return refused;
  return (special(value) ?? scientific(value)).padStart(width & 0xffff);
}

function scientific(value: number): string {
  const { digits, point } = roundDigits(exactDigits(value), mantissaDigits + 1);
  const exponent = digits === '' ? 0 : point - 1;
  const power = String(Math.abs(exponent))
    .padStart(2, '0')
    .replace(/[0-9]/g, (digit) => superscripts[Number(digit)]!);
  const mantissa = `${digits[0] ?? '0'}.${digits.slice(1).padEnd(mantissaDigits, '0')}`;
  return `${value < 0 ? '-' : ''}${mantissa}×10${exponent < 0 ? '⁻' : ''}${power}`;
}
