import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatTime, parseTime } from '../../time/index.ts';
import { secondsOfTime, timeOfSeconds } from './timestamp.ts';

const interesting = [
  -62_135_596_800, -62_135_596_799, -1, 0, 951_782_399, 951_782_400, 4_107_542_400, 253_402_300_799, 253_402_300_800,
];
const seconds = fc.oneof(fc.constantFrom(...interesting), fc.integer({ min: -62_135_596_800, max: 260_000_000_000 }));

it('formats times as formatTime does', () => {
  fc.assert(
    fc.property(seconds, (instant) => {
      expect(timeOfSeconds(instant)).toBe(formatTime({ seconds: instant, nanos: 0 }));
    }),
    { numRuns: 1000 },
  );
});

const canonicalSeconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 });

it('parses what formatTime formats', () => {
  fc.assert(
    fc.property(canonicalSeconds, (instant) => {
      expect(secondsOfTime(String(formatTime({ seconds: instant, nanos: 0 })))).toBe(instant);
    }),
    { numRuns: 1000 },
  );
});

it('does not return a cached time for another time', () => {
  fc.assert(
    fc.property(fc.array(canonicalSeconds, { minLength: 1, maxLength: 3 }), fc.array(fc.nat()), (instants, order) => {
      for (const choice of order) {
        const instant = instants[choice % instants.length]!;
        const text = formatTime({ seconds: instant, nanos: 0 });
        if (choice % 2 === 0) expect(timeOfSeconds(instant)).toBe(text);
        else expect(secondsOfTime(String(text))).toBe(instant);
      }
    }),
  );
});

it.each(['2024-02-29T00:00:00+01:00', '2024-02-29T23:59:59.5Z', '2023-01-01t00:00:00Z'])(
  'parses %s as parseTime does',
  (text) => {
    const parse = (): unknown => parseTime(text).seconds;
    try {
      expect(secondsOfTime(text)).toBe(parse());
    } catch (error) {
      expect(parse).toThrow(String(error instanceof Error && error.message));
    }
  },
);

it.each(['2023-02-29T00:00:00Z', '2023-13-01T00:00:00Z', 'xxxx-xx-xxTxx:xx:xxZ', '2023-01-01T24:00:00Z'])(
  'refuses %s',
  (text) => {
    expect(() => secondsOfTime(text)).toThrow('parsing time');
  },
);
