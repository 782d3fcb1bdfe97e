import { describe, expect, it } from 'vitest';
import { formatLabels, humanDuration, translateTimestampSince } from './print.ts';

describe('humanDuration, as upstream prints it', () => {
  it.each([
    [-3, '<invalid>'],
    [-1.5, '0s'],
    [-0.5, '0s'],
    [0.9, '0s'],
    [59, '59s'],
    [119, '119s'],
    [120, '2m'],
    [125, '2m5s'],
    [599, '9m59s'],
    [600, '10m'],
    [10799, '179m'],
    [10800, '3h'],
    [28799, '7h59m'],
    [28800, '8h'],
    [172799, '47h'],
    [172800, '2d'],
    [180000, '2d2h'],
    [691199, '7d23h'],
    [691200, '8d'],
    [63071999, '729d'],
    [63072000, '2y'],
    [63158400, '2y1d'],
    [252287999, '7y364d'],
    [252288000, '8y'],
    [300000000, '9y'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(humanDuration(seconds * 1000)).toBe(text);
  });
});

describe('translateTimestampSince', () => {
  const now = new Date('2026-01-01T00:01:00Z');

  it.each([
    ['a time', '2026-01-01T00:00:00Z', '60s'],
    ['a time with microseconds', '2026-01-01T00:00:30.500000Z', '29s'],
    ['no time', undefined, '<unknown>'],
  ])('counts from %s', (_, time, age) => {
    expect(translateTimestampSince(time, { now })).toBe(age);
  });
});

describe('formatLabels', () => {
  it('sorts labels by their keys', () => {
    expect(formatLabels({ b: '2', a: '1' })).toBe('a=1,b=2');
  });

  it('prints <none> for no labels', () => {
    expect([formatLabels(undefined), formatLabels({})]).toEqual(['<none>', '<none>']);
  });
});
