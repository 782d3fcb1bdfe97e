import { describe, expect, it } from 'vitest';
import { formatDuration } from './duration.ts';
import { parseDurationFormat } from './duration-format.ts';

describe('durations of the OpenAPI format', () => {
  it.each<[string, string | undefined]>([
    ['1h30m', '5400s'],
    ['-1.5h', '-5400s'],
    ['0', '0s'],
    ['1d', '86400s'],
    ['1 day', '86400s'],
    ['2 weeks 3 days', '1468800s'],
    ['1 min 30 sec', '90s'],
    ['5minutes', '300s'],
    ['1H', '3600s'],
    ['10 millis', '0.01s'],
    ['1m30', '60s'],
    ['1.5 hours', '18000s'],
    ['1e3s', '3s'],
    ['90', undefined],
    ['1 fortnight', undefined],
    ['', undefined],
  ])('%s', (text, expected) => {
    const duration = parseDurationFormat(text);
    expect(duration && formatDuration(duration)).toBe(expected);
  });
});
