import { describe, expect, it } from 'vitest';
import { type ComparedRow, cellsOf, comparing, isReached, printComparison } from './comparison.ts';

describe('a goal', () => {
  const row = { name: 'get', unit: 'ms', ours: 2, peer: 10 };
  it.each<[string, ComparedRow, boolean | undefined]>([
    ['of the ratio, reached', { ...row, goal: { of: 'ratio', atMost: 0.3 } }, true],
    ['of the ratio, just so', { ...row, goal: { of: 'ratio', atMost: 0.2 } }, true],
    ['of the ratio, missed', { ...row, goal: { of: 'ratio', atMost: 0.1 } }, false],
    ['of more, reached', { ...row, ours: 40, goal: { of: 'ratio', atLeast: 3 } }, true],
    ['of more, missed', { ...row, ours: 20, goal: { of: 'ratio', atLeast: 3 } }, false],
    ['of ours, whatever the peer does', { ...row, ours: 400, peer: 1, goal: { of: 'ours', atMost: 500 } }, true],
    ['of the ratio, with no peer to tell by', { ...row, peer: undefined, goal: { of: 'ratio', atMost: 1 } }, undefined],
    ['of the ratio, to a peer that has none', { ...row, peer: 0, goal: { of: 'ratio', atMost: 1 } }, undefined],
    ['that nobody set', row, undefined],
  ])('%s', (_, given, reached) => {
    expect(isReached(given)).toBe(reached);
  });
});

describe('a row', () => {
  const row = (ours: number, peer?: number): ComparedRow => comparing(ours, peer)('twice', '', (figure) => figure * 2);

  it('reads the same of both, and of a peer that is not there nothing', () => {
    expect(row(1, 3)).toEqual({ name: 'twice', unit: '', ours: 2, peer: 6 });
    expect(row(1)).toEqual({ name: 'twice', unit: '', ours: 2 });
  });
});

describe('the table', () => {
  const rows: ComparedRow[] = [
    { name: 'get: CPU', unit: 'ms', ours: 0.1234, peer: 0.5, goal: { of: 'ratio', atMost: 0.2 } },
    { name: 'memory', unit: 'MiB', ours: 1234.5, peer: 617.25 },
  ];

  it('shows both, their ratio and what was to be reached', () => {
    expect(printComparison({ peerName: 'the real pair', rows })).toBe(
      [
        '               ours  the real pair   ratio    goal  reached',
        'get: CPU  0.1234 ms      0.5000 ms  0.247×  ≤ 0.2×       no',
        'memory    1,235 MiB        617 MiB  2.000×',
        '',
      ].join('\n'),
    );
  });

  it('leaves out what nobody has', () => {
    const alone = rows.map(({ name, unit, ours }) => ({ name, unit, ours }));
    expect(printComparison({ peerName: 'the real pair', rows: alone })).toBe(
      [
        '               ours',
        'get: CPU  0.1234 ms',
        'memory    1,235 MiB',
        '',
        'bench/README.md tells how to see the real pair beside it',
        '',
      ].join('\n'),
    );
  });

  it('writes a goal of ours in its unit', () => {
    const row: ComparedRow = { name: 'start', unit: 'ms', ours: 400, goal: { of: 'ours', atMost: 500 } };
    expect(cellsOf(row)).toEqual(['start', '400 ms', '', '', '≤ 500 ms', 'yes']);
  });
});
