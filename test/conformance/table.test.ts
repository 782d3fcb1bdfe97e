import { expect, it } from 'vitest';
import type { Outcome } from './report.ts';
import { formatRun } from './table.ts';
import type { ConformanceTest } from './tiers.ts';

const outcomes = new Map<string, Outcome>([
  ['[sig-node] Pods one [Conformance]', 'passed'],
  ['[sig-apps] Job one [Conformance]', 'passed'],
  [
    '[sig-apps] Job two [Conformance]',
    { step: 'Deleting the job', message: 'it is there', at: 'test/e2e/apps/job.go:9' },
  ],
  ['[sig-apps] Job three [Conformance]', { message: 'the test binary does not have it', at: '' }],
]);
const notRun: ConformanceTest[] = [
  { name: '[sig-node] Exec one [Conformance]', tier: 'containers', reason: 'exec' },
  { name: '[sig-node] Logs one [Conformance]', tier: 'containers', reason: 'logs' },
  { name: '[sig-storage] Logs two [Conformance]', tier: 'containers', reason: 'logs' },
];

it('has a row for each SIG, the failures with their steps, and what the tests need that were not run', () => {
  expect(formatRun(outcomes, notRun)).toBe(
    [
      'SIG          passed  failed  not run',
      'sig-apps          1       2        0',
      'sig-node          1       0        2',
      'sig-storage       0       0        1',
      'all               2       2        3',
      '',
      'FAILED [sig-apps] Job two [Conformance]',
      '  step: Deleting the job',
      '  it is there',
      '  at test/e2e/apps/job.go:9',
      '',
      'FAILED [sig-apps] Job three [Conformance]',
      '  the test binary does not have it',
      '',
      'Not run; --tier containers runs them on real nodes (tiers.json has the names):',
      '    2  logs',
      '    1  exec',
      '',
    ].join('\n'),
  );
});

it('does not mention containers when all tests ran', () => {
  expect(formatRun(new Map([['[sig-node] Pods one [Conformance]', 'passed']]), [])).not.toContain('containers');
});
