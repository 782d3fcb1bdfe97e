import { describe, expect, it } from 'vitest';
import { type ComparedRow, cellsOf, comparing, isReached, printComparison } from './comparison.ts';

describe('a goal', () => {
  const row = { name: 'get', unit: 'ms', ours: 2, peer: 10 };
  it.each<[string, ComparedRow, boolean | undefined]>([
    ['of the ratio, reached', { ...row, goal: { of: 'ratio', atMost: 0.3 } }, true],
    ['of the ratio, exactly reached', { ...row, goal: { of: 'ratio', atMost: 0.2 } }, true],
    ['of the ratio, missed', { ...row, goal: { of: 'ratio', atMost: 0.1 } }, false],
    ['of a minimum, reached', { ...row, ours: 40, goal: { of: 'ratio', atLeast: 3 } }, true],
    ['of a minimum, missed', { ...row, ours: 20, goal: { of: 'ratio', atLeast: 3 } }, false],
    ['of our value, independent of the peer', { ...row, ours: 400, peer: 1, goal: { of: 'ours', atMost: 500 } }, true],
    ['of the ratio, without a peer', { ...row, peer: undefined, goal: { of: 'ratio', atMost: 1 } }, undefined],
    ['of the ratio, to a peer’s value of 0', { ...row, peer: 0, goal: { of: 'ratio', atMost: 1 } }, undefined],
    ['that is not set', row, undefined],
  ])('%s', (_, given, reached) => {
    expect(isReached(given)).toBe(reached);
  });
});

describe('a row', () => {
  const row = (ours: number, peer?: number): ComparedRow => comparing(ours, peer)('twice', '', (figure) => figure * 2);

  it('reads the same value from both, and none without a peer', () => {
    expect(row(1, 3)).toEqual({ name: 'twice', unit: '', ours: 2, peer: 6 });
    expect(row(1)).toEqual({ name: 'twice', unit: '', ours: 2 });
  });
});

describe('the table', () => {
  const rows: ComparedRow[] = [
    { name: 'get: CPU', unit: 'ms', ours: 0.1234, peer: 0.5, goal: { of: 'ratio', atMost: 0.2 } },
    { name: 'memory', unit: 'MiB', ours: 1234.5, peer: 617.25 },
  ];

  it('has both values, their ratio and the goal', () => {
    expect(printComparison({ peerName: 'the real pair', rows })).toBe(
      [
        '               ours  the real pair   ratio    goal  reached',
        'get: CPU  0.1234 ms      0.5000 ms  0.247×  ≤ 0.2×       no',
        'memory    1,235 MiB        617 MiB  2.000×',
        '',
      ].join('\n'),
    );
  });

  it('omits empty columns', () => {
    const alone = rows.map(({ name, unit, ours }) => ({ name, unit, ours }));
    expect(printComparison({ peerName: 'the real pair', rows: alone })).toBe(
      [
        '               ours',
        'get: CPU  0.1234 ms',
        'memory    1,235 MiB',
        '',
        'bench/README.md describes how to compare with the real pair',
        '',
      ].join('\n'),
    );
  });

  it('formats a goal of our value with its unit', () => {
    const row: ComparedRow = { name: 'start', unit: 'ms', ours: 400, goal: { of: 'ours', atMost: 500 } };
    expect(cellsOf(row)).toEqual(['start', '400 ms', '', '', '≤ 500 ms', 'yes']);
  });
});
