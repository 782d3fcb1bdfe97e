import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCronSchedule } from './cron-schedule.ts';

/** The first times after the given one, as computed by upstream's parser. */
const times: readonly [schedule: string, after: string, next: readonly string[]][] = [
  ['*/20 * * * *', '2026-01-01T00:00:00Z', ['2026-01-01T00:20:00Z', '2026-01-01T00:40:00Z', '2026-01-01T01:00:00Z']],
  ['0 0 * * *', '2026-02-28T12:00:00Z', ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z']],
  ['15 3-5/2 * * *', '2026-01-01T03:15:00Z', ['2026-01-01T05:15:00Z', '2026-01-02T03:15:00Z']],
  [
    '50/5 23 31 dec ?',
    '2026-01-01T00:00:00Z',
    ['2026-12-31T23:50:00Z', '2026-12-31T23:55:00Z', '2027-12-31T23:50:00Z'],
  ],
  ['0 0 29 2 *', '2026-01-01T00:00:00Z', ['2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z']],
  ['0 12 13 * FRI', '2026-01-01T00:00:00Z', ['2026-01-02T12:00:00Z', '2026-01-09T12:00:00Z', '2026-01-13T12:00:00Z']],
  ['0 12 */5 * 1', '2026-01-01T00:00:00Z', ['2026-01-01T12:00:00Z', '2026-01-05T12:00:00Z', '2026-01-06T12:00:00Z']],
  ['0 12 13 * *', '2026-01-01T00:00:00Z', ['2026-01-13T12:00:00Z', '2026-02-13T12:00:00Z']],
  ['@weekly', '2026-01-01T00:00:00Z', ['2026-01-04T00:00:00Z', '2026-01-11T00:00:00Z']],
  ['@monthly', '2026-01-31T00:00:00Z', ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z']],
  ['@yearly', '2026-01-01T00:00:00Z', ['2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z']],
  ['@every 90m', '2026-01-01T00:00:00Z', ['2026-01-01T01:30:00Z', '2026-01-01T03:00:00Z']],
  ['@every 1500ms', '2026-01-01T00:00:00Z', ['2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z']],
  ['@every 1ms', '2026-01-01T00:00:00Z', ['2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z']],
  ['TZ=America/New_York 30 2 * * *', '2026-03-07T00:00:00Z', ['2026-03-07T07:30:00Z', '2026-03-09T06:30:00Z']],
  [
    'TZ=America/New_York 30 1 * * *',
    '2026-10-31T12:00:00Z',
    ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-02T06:30:00Z'],
  ],
  ['CRON_TZ=Europe/Berlin 0 4 * * sun', '2026-03-23T00:00:00Z', ['2026-03-29T02:00:00Z', '2026-04-05T02:00:00Z']],
  ['TZ=Asia/Kolkata 0 0 1 * *', '2026-01-01T00:00:00Z', ['2026-01-31T18:30:00Z', '2026-02-28T18:30:00Z']],
  ['TZ=Local 0 7 * * *', '2026-01-01T00:00:00Z', ['2026-01-01T07:00:00Z', '2026-01-02T07:00:00Z']],
  ['TZ= 0 7 * * *', '2026-01-01T00:00:00Z', ['2026-01-01T07:00:00Z']],
  ['TZ=Pacific/Kiritimati 0 0 1 1 *', '2026-06-01T00:00:00Z', ['2026-12-31T10:00:00Z', '2027-12-31T10:00:00Z']],
  ['TZ=UTC @daily', '2026-01-01T00:00:00Z', ['2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z']],
];

const errors: readonly [schedule: string, message: string][] = [
  ['', 'empty spec string'],
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['9-5 * * * *', 'beginning of range (9) beyond end of range (5): 9-5'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['5-x-7 * * * *', 'too many hyphens: 5-x-7'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['-5 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ['*/-1 * * * *', 'negative number (-1) not allowed: -1'],
  ['@never', 'unrecognized descriptor: @never'],
  ['@every 10', 'failed to parse duration @every 10: time: missing unit in duration "10"'],
  [' @daily', 'expected exactly 5 fields, found 1: [@daily]'],
  ['TZ=UTC', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
  ['TZ=europe/berlin * * * * *', 'provided bad location europe/berlin: unknown time zone europe/berlin'],
  ['TZ=../x * * * * *', 'provided bad location ../x: time: invalid location name'],
];

const next = (schedule: string, after: string, count: number): (string | undefined)[] => {
  const parsed = parseCronSchedule(schedule);
  let time: Date | undefined = new Date(after);
  return Array.from({ length: count }, () => {
    time = time && parsed.next(time);
    return time?.toISOString().replace('.000', '');
  });
};

describe('a cron schedule', () => {
  it.each(times)('%s after %s triggers at the same times as upstream', (schedule, after, expected) => {
    expect(next(schedule, after, expected.length)).toEqual(expected);
  });

  it.each(['0 0 31 2 *', ', * * * *'])('%s never triggers', (schedule) => {
    expect(next(schedule, '2026-01-01T00:00:00Z', 1)).toEqual([undefined]);
  });

  it.each(errors)('%j is refused with upstream’s message', (schedule, message) => {
    expect(() => parseCronSchedule(schedule)).toThrow(new Error(message));
  });

  it('is in the given time zone unless it names one itself', () => {
    const after = new Date('2026-06-01T00:00:00Z');
    expect(parseCronSchedule('0 7 * * *', 'Asia/Tokyo').next(after)?.toISOString()).toBe('2026-06-01T22:00:00.000Z');
    expect(parseCronSchedule('TZ=UTC 0 7 * * *', 'Asia/Tokyo').next(after)?.toISOString()).toBe(
      '2026-06-01T07:00:00.000Z',
    );
  });

  it('triggers on days when the clock skips midnight', () => {
    expect(next('TZ=America/Santiago 30 5 6 9 *', '2026-09-05T12:00:00Z', 1)).toEqual(['2026-09-06T08:30:00Z']);
  });

  it('returns the earliest matching time from next()', () => {
    const minute = fc.integer({ min: 0, max: 59 });
    const hour = fc.integer({ min: 0, max: 23 });
    const instant = fc.integer({ min: Date.UTC(2024, 0) / 1000, max: Date.UTC(2028, 0) / 1000 });
    fc.assert(
      fc.property(
        fc.array(minute, { minLength: 1, maxLength: 4 }),
        fc.array(hour, { minLength: 1, maxLength: 3 }),
        instant,
        (minutes, hours, after) => {
          const found = parseCronSchedule(`${minutes} ${hours} * * *`).next(new Date(after * 1000))!;
          const matches = (time: Date) => minutes.includes(time.getUTCMinutes()) && hours.includes(time.getUTCHours());
          let earliest = (Math.floor(after / 60) + 1) * 60_000;
          while (!matches(new Date(earliest))) earliest += 60_000;
          expect(found.getTime()).toBe(earliest);
        },
      ),
      { numRuns: 100 },
    );
  });
});
