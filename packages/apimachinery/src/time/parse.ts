import { quoteBytes } from './quote-bytes.ts';

/** An instant as in protobuf: seconds since 1970, and nanoseconds after them. */
export interface Timestamp {
  readonly seconds: number | bigint;
  /** Never negative: they count forward even before 1970. */
  readonly nanos: number;
}

/** `2006-01-02T15:04:05Z07:00`, or the same with exactly six digits of fraction. */
export type Precision = 'seconds' | 'micros';

const layouts: Record<Precision, string> = {
  seconds: '2006-01-02T15:04:05Z07:00',
  micros: '2006-01-02T15:04:05.000000Z07:00',
};

/** The fields of an instant, as they are parsed. */
interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanos: number;
  offsetSeconds: number;
}

/** Parses an element of the layout at the beginning of a text. Returns the length it used, or the problem. */
type Reader = (rest: string, fields: Fields) => number | Problem;
type Problem = 'malformed' | { readonly outOfRange: string };

interface Element {
  readonly literal: string;
  readonly name: string;
  readonly read: Reader;
}

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
};

/** Parses two digits between limits. An hour may have one digit. */
function twoDigits(field: 'month' | 'day' | 'hour' | 'minute' | 'second', low: number, high: number): Reader {
  return (rest, fields) => {
    const length = !isDigit(rest, 0) ? 0 : isDigit(rest, 1) ? 2 : 1;
    if (length === 0 || (length === 1 && field !== 'hour')) return 'malformed';
    const value = Number(rest.slice(0, length));
    if (value < low || value > high) return { outOfRange: field };
    fields[field] = value;
    return length;
  };
}

function readYear(rest: string, fields: Fields): number | Problem {
  if (!/^[0-9]{4}/.test(rest)) return 'malformed';
  fields.year = Number(rest.slice(0, 4));
  return 4;
}

const readWholeSecond = twoDigits('second', 0, 59);

/** Parses seconds. The layout has no fraction; as in Go, one of any length is accepted, after a point or a comma. */
function readSecondWithFraction(rest: string, fields: Fields): number | Problem {
  const taken = readWholeSecond(rest, fields);
  const fraction = taken === 2 ? /^[.,]([0-9]+)/.exec(rest.slice(2)) : null;
  if (!fraction) return taken;
  fields.nanos = Number(fraction[1]!.slice(0, 9).padEnd(9, '0'));
  return 2 + fraction[0].length;
}

/** Parses six digits of fraction. As upstream, they are read as a number that may have a sign. */
function readMicros(rest: string, fields: Fields): number | Problem {
  const digits = /^[.,]([0-9]{6}|[-+][0-9]{5})/.exec(rest)?.[1];
  if (digits === undefined) return 'malformed';
  const micros = Number(digits);
  if (micros < 0) return { outOfRange: 'fractional second' };
  fields.nanos = micros * 1000;
  return 7;
}

function readZone(rest: string, fields: Fields): number | Problem {
  if (rest.startsWith('Z')) return 1;
  const match = /^([\s\S])([0-9]{2}):(?:([0-9]{2})|[\s\S]{2})/.exec(rest);
  if (!match) return 'malformed';
  const [, sign, hours, minutes] = match;
  // As in Go, an offset of 24 hours or 60 minutes is accepted, because people write such offsets.
  if (Number(minutes) > 60) return { outOfRange: 'time zone offset minute' };
  if (Number(hours) > 24) return { outOfRange: 'time zone offset hour' };
  if (minutes === undefined || (sign !== '+' && sign !== '-')) return 'malformed';
  fields.offsetSeconds = (sign === '-' ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
  return 6;
}

const beforeSecond: readonly Element[] = [
  { literal: '', name: '2006', read: readYear },
  { literal: '-', name: '01', read: twoDigits('month', 1, 12) },
  { literal: '-', name: '02', read: twoDigits('day', 0, 99) },
  { literal: 'T', name: '15', read: twoDigits('hour', 0, 23) },
  { literal: ':', name: '04', read: twoDigits('minute', 0, 59) },
];
const zone: Element = { literal: '', name: 'Z07:00', read: readZone };
const elements: Record<Precision, readonly Element[]> = {
  seconds: [...beforeSecond, { literal: ':', name: '05', read: readSecondWithFraction }, zone],
  micros: [
    ...beforeSecond,
    { literal: ':', name: '05', read: readWholeSecond },
    { literal: '', name: '.000000', read: readMicros },
    zone,
  ],
};

/** Parses an instant, in any zone. Throws an Error with the message of Go's time.Parse. */
export function parseTimestamp(text: string, precision: Precision): { seconds: number; nanos: number } {
  const fields: Fields = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanos: 0, offsetSeconds: 0 };
  const refuse = (message: string): never => {
    throw new Error(`parsing time ${quoteBytes(text)}${message}`);
  };
  const cannotParse = (rest: string, element: string): never =>
    refuse(` as ${quoteBytes(layouts[precision])}: cannot parse ${quoteBytes(rest)} as ${quoteBytes(element)}`);

  let rest = text;
  for (const { literal, name, read } of elements[precision]) {
    if (!rest.startsWith(literal)) return cannotParse(rest, literal);
    rest = rest.slice(literal.length);
    const taken = read(rest, fields);
    if (typeof taken === 'number') rest = rest.slice(taken);
    else if (taken === 'malformed') return cannotParse(rest, name);
    else return refuse(`: ${taken.outOfRange} out of range`);
  }
  if (rest !== '') return refuse(`: extra text: ${quoteBytes(rest)}`);
  if (fields.day < 1 || fields.day > daysIn(fields.year, fields.month)) return refuse(': day out of range');
  return { seconds: unixSeconds(fields), nanos: fields.nanos };
}

/** The calendar repeats after 400 years. Adding them keeps Date.UTC from taking years below 100 for those of the 1900s. */
const cycleYears = 400;
const cycleSeconds = 146_097 * 86_400;

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year + cycleYears, month, 0)).getUTCDate();

function unixSeconds({ year, month, day, hour, minute, second, offsetSeconds }: Fields): number {
  const local = Date.UTC(year + cycleYears, month - 1, day, hour, minute, second) / 1000;
  return local - cycleSeconds - offsetSeconds;
}
