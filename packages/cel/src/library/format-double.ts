import { exactDigits, roundDigits, shortestDigits } from './decimal-digits.ts';

/** What upstream writes when it does not take a precision. */
const refused = '%!(NOVERB)';
const isRefused = (precision: number): boolean => Math.floor(precision / 10) > 1_000_000;

/** No double has more digits after the point. */
const maxFraction = 1100;

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞';
}

/** The whole part and so many digits after the point. */
function fixedParts(value: number, least: number, most: number): [whole: string, fraction: string] {
  const all = most < 0 ? shortestDigits(value) : exactDigits(value);
  const { digits, point } = most < 0 ? all : roundDigits(all, all.point + Math.min(most, maxFraction));
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const fraction = point > 0 ? digits.slice(point) : digits && '0'.repeat(-point) + digits;
  return [whole, fraction.padEnd(least, '0')];
}

/** With so many digits after the point: how doubles stand inside lists and maps. */
export function formatPlain(value: number, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [whole, fraction] = fixedParts(value, precision, precision);
  return `${value < 0 || Object.is(value, -0) ? '-' : ''}${whole}.${fraction}`;
}

/**
 * `%.3f` as upstream writes it: with commas between thousands, and with precisions beyond a byte cut off in its own way,
 * which also keeps the result short.
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

/** `%e` as upstream writes it: `1.234568×10⁰⁷`. What should be the precision is the width. */
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
