import type { Duration } from '../meta/scalars.ts';
import { quoteBytes } from './quote-bytes.ts';

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  // The micro sign and the Greek letter look alike and mean the same.
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const limit = 2n ** 63n;

/** Parses `1h30m`, `1.5s`, `-300ms` to nanoseconds. Throws an Error with Go's message. */
export function parseDuration(text: string): bigint {
  const refuse = (message: string): never => {
    throw new Error(`time: ${message} ${quoteBytes(text)}`);
  };
  const negative = text.startsWith('-');
  const start = negative || text.startsWith('+') ? 1 : 0;
  if (text.slice(start) === '0') return 0n;
  if (start === text.length) return refuse('invalid duration');

  const term = /([0-9]*)(\.([0-9]*))?([^.0-9]*)/y;
  let total = 0n;
  for (let at = start; at < text.length; at = term.lastIndex) {
    term.lastIndex = at;
    const [, integer = '', , fraction = '', unitName = ''] = term.exec(text) ?? [];
    const whole = leadingInt(integer);
    if ((integer === '' && fraction === '') || whole === undefined) return refuse('invalid duration');
    if (unitName === '') return refuse('missing unit in duration');
    const unit = units.get(unitName);
    if (unit === undefined) return refuse(`unknown unit ${quoteBytes(unitName)} in duration`);
    const value = whole * unit + fractionOf(fraction, unit);
    // Go adds in unsigned 64-bit arithmetic.
    total = BigInt.asUintN(64, total + value);
    if (whole > limit / unit || value > limit || total > limit) return refuse('invalid duration');
  }
  if (!negative && total === limit) return refuse('invalid duration');
  return negative ? -total : total;
}

/** Returns undefined beyond 2^63. */
function leadingInt(digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, '');
  const value = significant.length > 19 ? limit + 1n : BigInt(significant);
  return value > limit ? undefined : value;
}

/** Rounds as Go does: digits beyond 63 bits are ignored, and the multiplication is in doubles. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > (limit - 1n) / 10n || next > limit) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

const subSecondUnits = [
  { below: 1_000n, digits: 0, name: 'ns' },
  { below: 1_000_000n, digits: 3, name: '\u00b5s' },
  { below: 1_000_000_000n, digits: 6, name: 'ms' },
];

/** Formats nanoseconds as Go does: `1h30m0s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(nanoseconds: number | bigint): Duration {
  const total = BigInt(nanoseconds);
  if (total === 0n) return '0s';
  const sign = total < 0n ? '-' : '';
  const value = total < 0n ? -total : total;
  const small = subSecondUnits.find(({ below }) => value < below);
  if (small) return `${sign}${withFraction(value, small.digits)}${small.name}`;
  const minutes = value / 60_000_000_000n;
  const hours = minutes / 60n;
  const seconds = `${withFraction(value % 60_000_000_000n, 9)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes % 60n}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

/** Returns the value with its decimal point moved left, without zeros at the end. */
function withFraction(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, '0');
  const point = text.length - digits;
  const fraction = text.slice(point).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, point) : `${text.slice(0, point)}.${fraction}`;
}

/** Returns the canonical form of a duration in JSON. Throws an Error with Go's message. */
export const canonicalDuration = (text: string): Duration => formatDuration(parseDuration(text));

/** The duration in milliseconds, for clocks and timers. */
export const durationToMs = (text: Duration): number => Number(parseDuration(text)) / 1e6;
