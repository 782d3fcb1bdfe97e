import { parseDuration } from './duration.ts';
import { Duration } from './values.ts';

const NANOS_PER_MILLISECOND = 1_000_000n;
const NANOS_PER_MINUTE = 60_000_000_000n;

/** Units and their names. Words that start with the last name count too, such as `days`. */
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
 * Parses the format `duration` of OpenAPI schemas: Go's durations, or text that contains integers with units (`2 days
 * 1h`). Undefined if there is none.
 */
export function parseDurationFormat(text: string): Duration | undefined {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let nanos: bigint | undefined;
  // The lookbehind lets a match start only at the first digit of a number: otherwise long numbers would take quadratic time.
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
