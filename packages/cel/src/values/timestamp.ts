import { CelError, Timestamp } from './values.ts';

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const MIN_SECONDS = -62_135_596_800;
const MAX_SECONDS = 253_402_300_799;

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

/** Returns the timestamp. Throws CelError if it is out of range. */
export function timestampOf(seconds: number, nanos: number, offsetSeconds = 0): Timestamp {
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) throw new CelError('timestamp overflow');
  return new Timestamp(seconds, nanos, offsetSeconds);
}

/** Parses RFC 3339; undefined if it is not a timestamp. Throws CelError if it is out of range. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = text.length > 64 ? null : RFC3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const zone = match[8] ?? 'Z';
  const offset = zone === 'Z' ? 0 : offsetOf(zone);
  if (offset === undefined || hour > 23 || minute > 59 || second > 59 || month < 1 || month > 12 || day < 1)
    return undefined;
  if (day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const nanos = Number((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return timestampOf(date.getTime() / 1000 - offset, nanos, offset);
}

function offsetOf(zone: string): number | undefined {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4));
  if (hours > 24 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** Formats a timestamp as RFC 3339 with as many fractional digits as needed, in the zone that it was written in. */
export function formatTimestamp({ seconds, nanos, offsetSeconds }: Timestamp): string {
  const local = new Date((seconds + offsetSeconds) * 1000);
  const year = String(local.getUTCFullYear()).padStart(4, '0');
  const rest = local
    .toISOString()
    .replace(/^[+-]?\d+/, '')
    .slice(0, 15);
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${year}${rest}${fraction}${formatOffset(offsetSeconds)}`;
}

function formatOffset(offsetSeconds: number): string {
  if (offsetSeconds === 0) return 'Z';
  const minutes = Math.floor(Math.abs(offsetSeconds) / 60);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${offsetSeconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Returns the timestamp plus nanoseconds. Throws CelError if the result is out of range. */
export function addNanos(timestamp: Timestamp, nanos: bigint): Timestamp {
  const total = BigInt(timestamp.nanos) + nanos;
  let seconds = total / 1_000_000_000n;
  let rest = total % 1_000_000_000n;
  if (rest < 0n) {
    rest += 1_000_000_000n;
    seconds -= 1n;
  }
  return timestampOf(timestamp.seconds + Number(seconds), Number(rest), timestamp.offsetSeconds);
}

const MAX_ZONES = 64;
const zones = new Map<string, Intl.DateTimeFormat>();

/** Returns a Date whose UTC fields are the local time of the zone. Throws CelError for an unknown zone. */
export function localDate({ seconds }: Timestamp, zone: string): Date {
  return new Date((seconds + zoneOffset(zone, seconds)) * 1000);
}

function zoneOffset(zone: string, seconds: number): number {
  if (zone === 'UTC' || zone === '') return 0;
  const colon = zone.indexOf(':');
  if (colon >= 0) {
    const hours = parseOffsetPart(zone.slice(0, colon));
    const minutes = parseOffsetPart(zone.slice(colon + 1));
    return (zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes) * 60;
  }
  const fields = new Map(
    zoneFormat(zone)
      .formatToParts(seconds * 1000)
      .map(({ type, value }) => [type, value]),
  );
  const field = (name: Intl.DateTimeFormatPartTypes) => Number(fields.get(name));
  const local = new Date(0);
  const year = fields.get('era') === 'BC' ? 1 - field('year') : field('year');
  local.setUTCFullYear(year, field('month') - 1, field('day'));
  local.setUTCHours(field('hour'), field('minute'), field('second'));
  return local.getTime() / 1000 - seconds;
}

function parseOffsetPart(text: string): number {
  if (!/^[+-]?\d{1,9}$/.test(text)) throw new CelError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  let format = zones.get(zone);
  if (format === undefined) {
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        era: 'short',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      throw new CelError(`unknown time zone ${zone}`);
    }
    if (zones.size >= MAX_ZONES) zones.clear();
    zones.set(zone, format);
  }
  return format;
}
