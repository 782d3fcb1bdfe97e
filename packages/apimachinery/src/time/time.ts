import type { MicroTime, Time } from '../meta/scalars.ts';
import { type Precision, parseTimestamp, type Timestamp } from './parse.ts';

/** The first second of the year 1: Go's zero time, which means no time at all. */
const zeroSeconds = -62_135_596_800;

/** Parses a Time, in any zone and with any fraction of a second. Throws an Error with Go's message. */
export const parseTime = (text: string): Timestamp => parseTimestamp(text, 'seconds');

/** Parses a MicroTime, in any zone, with exactly six digits of fraction. Throws an Error with Go's message. */
export const parseMicroTime = (text: string): Timestamp => parseTimestamp(text, 'micros');

/**
 * Returns the canonical form of an instant, without its fraction; null for the zero time, as in JSON. On the protobuf wire a Time has no
 * nanos: pass zero for them, whatever was received.
 */
export const formatTime = (timestamp: Timestamp): Time | null => format(timestamp, 'seconds');

/** Returns the canonical form of an instant with microseconds; null for the zero time, as in JSON. */
export const formatMicroTime = (timestamp: Timestamp): MicroTime | null => format(timestamp, 'micros');

/** Throws a RangeError for an instant hundreds of thousands of years away. */
function format({ seconds, nanos }: Timestamp, precision: Precision): string | null {
  const counted = precision === 'micros' ? Math.trunc(nanos / 1000) * 1000 : nanos;
  // A protobuf client may send more nanoseconds than a second has, or a negative number.
  const carried = Math.floor(counted / 1e9);
  const fraction = counted - carried * 1e9;
  const whole = Number(seconds) + carried;
  if (whole === zeroSeconds && fraction === 0) return null;
  const iso = new Date(whole * 1000).toISOString();
  // For years of more than four digits, Date writes a sign and six digits; Go writes only the digits needed.
  const text = iso
    .replace(/^\+0*/, '')
    .replace(/^-00(?=[0-9]{4}-)/, '-')
    .slice(0, -'.000Z'.length);
  return precision === 'seconds' ? `${text}Z` : `${text}.${String(Math.floor(fraction / 1000)).padStart(6, '0')}Z`;
}

const date = '\\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)';
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';
const canonical: Record<Precision, RegExp> = {
  seconds: new RegExp(`^${date}T${time}Z$`),
  micros: new RegExp(`^${date}T${time}\\.\\d{6}Z$`),
};
const yearOne = '0001-01-01T00:00:00';

function canonicalize(text: string, precision: Precision): string | null {
  if (canonical[precision].test(text) && !text.startsWith(yearOne)) return text;
  return format(parseTimestamp(text, precision), precision);
}

/** Returns the canonical form of a Time in JSON: the text itself if it is canonical already, null for the zero time. */
export const canonicalTime = (text: string): Time | null => canonicalize(text, 'seconds');

/** Like `canonicalTime`, for a MicroTime. */
export const canonicalMicroTime = (text: string): MicroTime | null => canonicalize(text, 'micros');

const ofDate = (value: Date): Timestamp => {
  const milliseconds = value.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanos: (milliseconds - seconds * 1000) * 1_000_000 };
};

/** Cache of the last result: mostly it is the current time, many times per second. */
let [lastSeconds, lastTime] = [0, '1970-01-01T00:00:00Z'];

/** Returns a Time in whole seconds; the fraction is dropped. Throws a RangeError for an invalid date. */
export function timeFromDate(value: Date): Time {
  const seconds = Math.floor(value.getTime() / 1000);
  if (seconds !== lastSeconds) {
    lastTime = formatTime({ seconds, nanos: 0 }) ?? `${yearOne}Z`;
    lastSeconds = seconds;
  }
  return lastTime;
}

export const microTimeFromDate = (value: Date): MicroTime => formatMicroTime(ofDate(value)) ?? `${yearOne}.000000Z`;

/** Parses a Time or a MicroTime; fractions of a millisecond are dropped. Throws an Error when it is neither. */
export function dateFromTime(text: Time | MicroTime): Date {
  const { seconds, nanos } = parseTime(text);
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000));
}
