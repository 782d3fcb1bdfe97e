import { parseDuration } from './duration.ts';
import { Duration } from './values.ts';

const NANOS_PER_MILLISECOND = 1_000_000n;
const NANOS_PER_MINUTE = 60_000_000_000n;

/** Units by what they may be called; of the last name, the beginning is enough. */
const UNITS: readonly (readonly [names: readonly string[], nanos: bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1_000n],
  [['ms', 'milli'], NANOS_PER_MILLISECOND],
  [['s', 'sec'], 1_000n * NANOS_PER_MILLISECOND],
  [['m', 'min'], NANOS_PER_MINUTE],
  [['h', 'hr', 'hour'], 60n * NANOS_PER_MINUTE],
  [['d', 'day'], 1_440n * NANOS_PER_MINUTE],
  [['w', 'wk', 'week'], 10_080n * NANOS_PER_MINUTE],
];

/**
 * Parses what the format `duration` of OpenAPI schemas allows: Go's durations, or whole numbers with units (`2 days 1h`)
 * among anything else. Undefined if there is none.
 */
export function parseDurationFormat(text: string): Duration | undefined {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let nanos: bigint | undefined;
  // Digits are looked at from the first of a row only, else they would take the square of their number.
  for (const [, count = '', word = ''] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    if (count.length > 18) return undefined;
    const factor = unitOf(word.toLowerCase());
    if (factor !== undefined) nanos = (nanos ?? 0n) + BigInt(count) * factor;
  }
  return nanos === undefined ? undefined : new Duration(BigInt.asIntN(64, nanos));
}

function unitOf(word: string): bigint | undefined {
  const unit = UNITS.find(([names]) => names.includes(word) || word.startsWith(names.at(-1) ?? word));
  return unit?.[1];
}
