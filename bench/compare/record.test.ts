import { describe, expect, it } from 'vitest';
import { type BenchResult, printResults, recordOf } from './record.ts';

const results: BenchResult[] = [
  {
    bench: 'crd',
    peerName: 'the real pair',
    rows: [{ name: 'create', unit: 'ms', ours: 2.00004, peer: 20, goal: { of: 'ratio', atMost: 0.4 } }],
  },
  {
    bench: 'client',
    peerName: 'client-node',
    rows: [
      { name: 'events', unit: '/s', ours: 5000, peer: 2500, goal: { of: 'ratio', atLeast: 3 } },
      { name: 'queue', unit: '/s', ours: 7 },
    ],
  },
];

describe('a run of all benches', () => {
  it('is printed as one table, with missed goals', () => {
    expect(printResults(results)).toBe(
      [
        'bench   what        ours      peer      beside us   ratio    goal  reached',
        'crd     create   2.00 ms  20.00 ms  the real pair  0.100×  ≤ 0.4×      yes',
        'client  events  5,000 /s  2,500 /s    client-node  2.000×    ≥ 3×       no',
        'client  queue    7.00 /s              client-node',
        '',
        '1 of 2 goals are reached',
        '',
      ].join('\n'),
    );
  });

  it('is stored with its date, its machine and all rows', () => {
    const { date, machine, rows } = recordOf(results, new Date('2026-11-16T10:00:00Z'));
    expect(date).toBe('2026-11-16');
    expect(machine).toMatchObject({ node: process.version, cores: expect.any(Number) });
    expect(rows).toEqual([
      {
        bench: 'crd',
        name: 'create',
        unit: 'ms',
        ours: 2,
        peer: 20,
        peerName: 'the real pair',
        ratio: 0.1,
        goal: { of: 'ratio', atMost: 0.4 },
        reached: true,
      },
      expect.objectContaining({ bench: 'client', ratio: 2, reached: false }),
      { bench: 'client', name: 'queue', unit: '/s', ours: 7, peerName: 'client-node' },
    ]);
  });
});
