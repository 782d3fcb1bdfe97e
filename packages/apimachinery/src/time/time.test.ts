import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalMicroTime,
  canonicalTime,
  dateFromTime,
  formatMicroTime,
  formatTime,
  microTimeFromDate,
  parseMicroTime,
  parseTime,
  timeFromDate,
} from './time.ts';

describe('canonicalTime', () => {
  it.each<[why: string, text: string, canonical: string | null]>([
    ['already canonical', '2024-05-17T10:11:12Z', '2024-05-17T10:11:12Z'],
    ['a leap day', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['the last day of a long month', '2024-12-31T23:59:59Z', '2024-12-31T23:59:59Z'],
    ['a fraction, dropped', '2024-05-17T10:11:12.999999999Z', '2024-05-17T10:11:12Z'],
    ['a comma for a point', '2024-05-17T10:11:12,5Z', '2024-05-17T10:11:12Z'],
    ['a zone to the east', '2024-05-17T12:11:12+02:00', '2024-05-17T10:11:12Z'],
    ['a zone to the west', '2024-05-17T10:11:12-07:30', '2024-05-17T17:41:12Z'],
    ['a zone a whole day away', '2024-01-01T00:00:00+24:00', '2023-12-31T00:00:00Z'],
    ['an hour of one digit', '2024-05-17T1:11:12Z', '2024-05-17T01:11:12Z'],
    ['before 1970', '1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
    ['a small year', '0099-03-01T00:00:00Z', '0099-03-01T00:00:00Z'],
    ['the zero time', '0001-01-01T00:00:00Z', null],
    ['the zero time in another zone', '0001-01-01T01:00:00+01:00', null],
    ['just after the zero time', '0001-01-01T00:00:00.5Z', '0001-01-01T00:00:00Z'],
    ['a year of five digits', '9999-12-31T23:59:59-01:00', '10000-01-01T00:59:59Z'],
    ['a year before zero', '0000-01-01T00:00:00+01:00', '-0001-12-31T23:00:00Z'],
  ])('%s', (_, text, canonical) => {
    expect(canonicalTime(text)).toBe(canonical);
  });

  const layout = '"2006-01-02T15:04:05Z07:00"';
  it.each<[text: string, message: string]>([
    ['', `parsing time "" as ${layout}: cannot parse "" as "2006"`],
    ['x', `parsing time "x" as ${layout}: cannot parse "x" as "2006"`],
    ['2024', `parsing time "2024" as ${layout}: cannot parse "" as "-"`],
    ['2024-', `parsing time "2024-" as ${layout}: cannot parse "" as "01"`],
    ['2024-5-17T10:11:12Z', `parsing time "2024-5-17T10:11:12Z" as ${layout}: cannot parse "5-17T10:11:12Z" as "01"`],
    ['2024-05-17', `parsing time "2024-05-17" as ${layout}: cannot parse "" as "T"`],
    ['2024-05-17 10:11:12Z', `parsing time "2024-05-17 10:11:12Z" as ${layout}: cannot parse " 10:11:12Z" as "T"`],
    ['2024-05-17T10:11:12', `parsing time "2024-05-17T10:11:12" as ${layout}: cannot parse "" as "Z07:00"`],
    ['2024-05-17T10:11:12z', `parsing time "2024-05-17T10:11:12z" as ${layout}: cannot parse "z" as "Z07:00"`],
    [
      '2024-05-17T10:11:12+0200',
      `parsing time "2024-05-17T10:11:12+0200" as ${layout}: cannot parse "+0200" as "Z07:00"`,
    ],
    ['2024-05-17T10:11:12.Z', `parsing time "2024-05-17T10:11:12.Z" as ${layout}: cannot parse ".Z" as "Z07:00"`],
    ['2024-05-17T10:11:12Zx', 'parsing time "2024-05-17T10:11:12Zx": extra text: "x"'],
    ['2024-13-01T00:00:00Z', 'parsing time "2024-13-01T00:00:00Z": month out of range'],
    ['2024-02-30T00:00:00Z', 'parsing time "2024-02-30T00:00:00Z": day out of range'],
    ['2023-02-29T00:00:00Z', 'parsing time "2023-02-29T00:00:00Z": day out of range'],
    ['2024-05-17T24:00:00Z', 'parsing time "2024-05-17T24:00:00Z": hour out of range'],
    ['2024-05-17T10:60:00Z', 'parsing time "2024-05-17T10:60:00Z": minute out of range'],
    ['2024-05-17T10:11:60Z', 'parsing time "2024-05-17T10:11:60Z": second out of range'],
    ['2024-05-17T10:11:12+25:00', 'parsing time "2024-05-17T10:11:12+25:00": time zone offset hour out of range'],
    ['2024-05-17T10:11:12+02:61', 'parsing time "2024-05-17T10:11:12+02:61": time zone offset minute out of range'],
    ['é"\\', `parsing time "\\xc3\\xa9\\"\\\\" as ${layout}: cannot parse "\\xc3\\xa9\\"\\\\" as "2006"`],
  ])('refuses %j', (text, message) => {
    expect(() => canonicalTime(text)).toThrow(new Error(message));
  });
});

describe('canonicalMicroTime', () => {
  it.each<[text: string, canonical: string | null]>([
    ['2024-05-17T10:11:12.123456Z', '2024-05-17T10:11:12.123456Z'],
    ['2024-05-17T12:11:12.000000+02:00', '2024-05-17T10:11:12.000000Z'],
    ['2024-05-17T10:11:12,123456Z', '2024-05-17T10:11:12.123456Z'],
    ['2024-05-17T10:11:12.+12345Z', '2024-05-17T10:11:12.012345Z'],
    ['0001-01-01T00:00:00.000000Z', null],
  ])('%s', (text, canonical) => {
    expect(canonicalMicroTime(text)).toBe(canonical);
  });

  const layout = '"2006-01-02T15:04:05.000000Z07:00"';
  it.each<[text: string, message: string]>([
    ['2024-05-17T10:11:12Z', `parsing time "2024-05-17T10:11:12Z" as ${layout}: cannot parse "Z" as ".000000"`],
    [
      '2024-05-17T10:11:12.123Z',
      `parsing time "2024-05-17T10:11:12.123Z" as ${layout}: cannot parse ".123Z" as ".000000"`,
    ],
    [
      '2024-05-17T10:11:12.1234567Z',
      `parsing time "2024-05-17T10:11:12.1234567Z" as ${layout}: cannot parse "7Z" as "Z07:00"`,
    ],
    ['2024-05-17T10:11:12.-12345Z', 'parsing time "2024-05-17T10:11:12.-12345Z": fractional second out of range'],
  ])('refuses %s', (text, message) => {
    expect(() => canonicalMicroTime(text)).toThrow(new Error(message));
  });
});

describe('instants', () => {
  it('are seconds and nanoseconds', () => {
    expect(parseTime('2024-05-17T10:11:12.25Z')).toEqual({ seconds: 1715940672, nanos: 250_000_000 });
    expect(parseMicroTime('1969-12-31T23:59:59.750000Z')).toEqual({ seconds: -1, nanos: 750_000_000 });
    expect(formatTime({ seconds: 1715940672n, nanos: 999_999_999 })).toBe('2024-05-17T10:11:12Z');
    expect(formatMicroTime({ seconds: -1, nanos: 999_999_999 })).toBe('1969-12-31T23:59:59.999999Z');
    expect(formatTime({ seconds: 0, nanos: 0 })).toBe('1970-01-01T00:00:00Z');
    expect(formatMicroTime({ seconds: 1, nanos: 1_500_000_000 })).toBe('1970-01-01T00:00:02.500000Z');
    expect(formatMicroTime({ seconds: 0, nanos: -1000 })).toBe('1969-12-31T23:59:59.999999Z');
    expect(formatMicroTime({ seconds: -62_135_596_800, nanos: 999 })).toBeNull();
    expect(() => formatTime({ seconds: 2n ** 62n, nanos: 0 })).toThrow(RangeError);
  });

  it('are converted from and to dates', () => {
    const date = new Date('2024-05-17T10:11:12.345Z');
    expect(timeFromDate(date)).toBe('2024-05-17T10:11:12Z');
    expect(microTimeFromDate(date)).toBe('2024-05-17T10:11:12.345000Z');
    expect(dateFromTime('2024-05-17T12:11:12.345678+02:00')).toEqual(date);
    expect(() => timeFromDate(new Date(Number.NaN))).toThrow(RangeError);
  });

  it('are the same after formatting and parsing, in any zone', () => {
    const seconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 - 86_400 });
    fc.assert(
      fc.property(
        seconds,
        fc.integer({ min: 0, max: 999_999 }),
        fc.integer({ min: -1439, max: 1439 }),
        (s, micros, zone) => {
          const timestamp = { seconds: s, nanos: micros * 1000 };
          const text = formatMicroTime(timestamp)!;
          expect(parseMicroTime(text)).toEqual(timestamp);
          expect(canonicalMicroTime(text)).toBe(text);
          const local = formatMicroTime({ ...timestamp, seconds: s + zone * 60 });
          fc.pre(local !== null && /^\d{4}-/.test(local));
          const size = Math.abs(zone);
          const offset = `${zone < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
          expect(canonicalMicroTime(local!.replace('Z', offset))).toBe(text);
        },
      ),
    );
  });
});
