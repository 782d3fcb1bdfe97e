import { describe, expect, it } from 'vitest';
import type { Outcome } from './report.ts';
import { formatResults, type Outcomes, whatChanged } from './results.ts';

const failure = { step: 'Deleting the job', message: 'it is still there', at: 'test/e2e/apps/job.go:902' };

describe('changes', () => {
  const cases: Record<string, [Outcomes, Outcomes, string[]]> = {
    'nothing when all outcomes are the same': [new Map([['a', 'passed']]), new Map([['a', 'passed']]), []],
    'a test that passes now': [new Map([['a', failure]]), new Map([['a', 'passed']]), ['passes now: a']],
    'a test that fails now': [new Map([['a', 'passed']]), new Map([['a', failure]]), ['FAILS NOW: a']],
    'a test that fails at another location': [
      new Map([['a', failure]]),
      new Map([['a', { ...failure, at: 'test/e2e/apps/job.go:910' }]]),
      ['fails elsewhere (test/e2e/apps/job.go:902 before, test/e2e/apps/job.go:910 now): a'],
    ],
    'nothing when only the messages differ': [
      new Map([['a', failure]]),
      new Map([['a', { ...failure, message: 'it is there still' }]]),
      [],
    ],
    'nothing for tests that ran only in one of the runs': [new Map([['a', failure]]), new Map([['b', failure]]), []],
  };
  it.each(Object.entries(cases))('are %s', (_, [before, now, sentences]) => {
    expect(whatChanged(before, now)).toEqual(sentences);
  });
});

describe('stored results', () => {
  it('do not depend on the order of the tests', () => {
    const one = formatResults(
      new Map<string, Outcome>([
        ['b', 'passed'],
        ['a', failure],
      ]),
    );
    const other = formatResults(
      new Map<string, Outcome>([
        ['a', failure],
        ['b', 'passed'],
      ]),
    );
    expect(one).toBe(other);
  });

  it('have a line for each passed test, and the details of failed ones', () => {
    const outcomes = new Map<string, Outcome>([
      ['a', failure],
      ['b', 'passed'],
    ]);
    expect(JSON.parse(formatResults(outcomes))).toEqual({
      kubernetes: 'v1.36.4',
      passed: 1,
      failed: 1,
      tests: { a: failure, b: 'passed' },
    });
    expect(formatResults(outcomes)).toContain('\n    "b": "passed"\n');
  });
});
