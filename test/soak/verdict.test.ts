import { describe, expect, test } from 'vitest';
import { formatTrends, lowerQuartile, type Sample, trendsOf } from './verdict.ts';

const sample = (minute: number, changes: Partial<Sample> = {}): Sample => ({
  minute,
  rss: 100,
  rssAnon: 80,
  rssFile: 20,
  fileDescriptors: 50,
  metricsBytes: 1000,
  ...changes,
});
const minutes = Array.from({ length: 18 }, (_, index) => index + 1);
const trendOf = (samples: readonly Sample[], measure: string, fromMinute = 1) =>
  trendsOf(samples, fromMinute).find((trend) => trend.measure === measure);

describe('a measure', () => {
  test('that is constant is flat', () => {
    expect(
      trendsOf(
        minutes.map((minute) => sample(minute)),
        1,
      ).map(({ measure, rise, ok }) => [measure, rise, ok]),
    ).toEqual([
      ['rss', 0, true],
      ['rssAnon', 0, true],
      ['fileDescriptors', 0, true],
      ['metricsBytes', 0, true],
    ]);
  });

  test('that rises steadily is bad, with the rise over the whole time', () => {
    const trend = trendOf(
      minutes.map((minute) => sample(minute, { rss: 1000 + minute })),
      'rss',
    );
    expect(trend).toMatchObject({ early: 1002, late: 1014, ok: false });
    expect(trend?.rise).toBeCloseTo(0.018, 3);
  });

  test('that rises only in the warm-up is flat', () => {
    const samples = minutes.map((minute) => sample(minute, { metricsBytes: Math.min(minute, 9) }));
    expect(trendOf(samples, 'metricsBytes', 9)).toMatchObject({ rise: 0, ok: true });
    expect(trendOf(samples, 'metricsBytes', 1)).toMatchObject({ ok: false });
  });

  test('that goes up and down is flat', () =>
    expect(
      trendOf(
        minutes.map((minute) => sample(minute, { rss: 100 + (minute % 3) })),
        'rss',
      ),
    ).toMatchObject({ ok: true }));

  test('with some higher samples is flat', () =>
    expect(
      trendOf(
        minutes.map((minute) => sample(minute, { metricsBytes: 1000 + (minute % 2) * minute })),
        'metricsBytes',
      ),
    ).toMatchObject({ early: 1000, late: 1000, ok: true }));

  test('of files may rise by one', () => {
    const open = (late: number) =>
      trendOf(
        minutes.map((minute) => sample(minute, { fileDescriptors: minute < 10 ? 30 : late })),
        'fileDescriptors',
      );
    expect(open(31)).toMatchObject({ ok: true });
    expect(open(32)).toMatchObject({ ok: false });
  });

  test('that falls is good', () =>
    expect(
      trendOf(
        minutes.map((minute) => sample(minute, { rss: 100 - minute })),
        'rss',
      ),
    ).toMatchObject({ ok: true }));

  test('is judged by the minutes that have it', () =>
    expect(
      trendOf(
        minutes.map((minute) => sample(minute, minute % 5 === 0 ? { heap: minute } : {})),
        'heap',
      ),
    ).toMatchObject({
      early: 5,
      late: 15,
    }));
});

test('the lower quartile has a quarter of the values below it', () => {
  expect(lowerQuartile([9, 1, 5, 7])).toBe(5);
  expect(lowerQuartile([8, 7, 6, 5, 4, 3, 2, 1])).toBe(3);
  expect(lowerQuartile([4])).toBe(4);
});

test('trends are printed with their verdict', () => {
  expect(
    formatTrends([
      { measure: 'heap', early: 2 ** 20, late: 2 ** 21, rise: 1.5, ok: false },
      { measure: 'fileDescriptors', early: 60, late: 60, rise: 0, ok: true },
    ]),
  ).toBe(
    'heap                1.00 MiB →     2.00 MiB  +150.00 %  BAD\nfileDescriptors           60 →           60    +0.00 %\n',
  );
});
