import fc from 'fast-check';
import { expect, it } from 'vitest';
import { brokenLine } from './broken-line.ts';

const points = fc
  .uniqueArray(fc.record({ utilization: fc.integer({ min: 0, max: 100 }), score: fc.integer({ min: 0, max: 100 }) }), {
    selector: ({ utilization }) => utilization,
    minLength: 1,
    maxLength: 6,
  })
  .map((list) => list.sort((a, b) => a.utilization - b.utilization));

it('passes through its points, is constant outside of them, and stays between neighboring points', () => {
  fc.assert(
    fc.property(points, fc.integer({ min: -10, max: 110 }), (shape, x) => {
      const line = brokenLine(shape);
      for (const { utilization, score } of shape) expect(line(utilization)).toBe(score);
      const from = shape.findLast(({ utilization }) => utilization <= x) ?? shape[0]!;
      const to = shape.find(({ utilization }) => utilization >= x) ?? shape.at(-1)!;
      expect(line(x)).toBeGreaterThanOrEqual(Math.min(from.score, to.score));
      expect(line(x)).toBeLessThanOrEqual(Math.max(from.score, to.score));
      expect(Number.isInteger(line(x))).toBe(true);
    }),
  );
});

it.each([
  [0, 0],
  [33, 33],
  [50, 50],
  [75, 25],
  [100, 0],
  [90, 10],
])('at %i percent a peak-shaped function is %i', (x, expected) => {
  const mountain = brokenLine([
    { utilization: 0, score: 0 },
    { utilization: 50, score: 50 },
    { utilization: 100, score: 0 },
  ]);
  expect(mountain(x)).toBe(expected);
});
