import { describe, expect, it } from 'vitest';
import { formatTable, isGood } from './table.ts';
import { readGoTest, readVerdicts } from './verdict.ts';

describe('what the judge says', () => {
  it('is a verdict a line, whatever else is in the log', () => {
    const log = [
      'I1116 00:04:19.498385   15900 leaderelection.go:272] "Successfully acquired lease"',
      '{"ok":true,"step":"a Deployment comes up"}',
      '{"ok":false,"step":"a namespace goes","why":"waited in vain: it is still there"}',
      '{"ok":true,"step":"not all of i',
    ];
    expect(readVerdicts(log.join('\n'))).toEqual([
      { step: 'a Deployment comes up', ok: true },
      { step: 'a namespace goes', ok: false, why: 'waited in vain: it is still there' },
    ]);
  });
});

describe('what `go test -json` says', () => {
  const event = (Action: string, Test?: string, Output?: string): string => JSON.stringify({ Action, Test, Output });

  it('is a verdict for each test within a test, with what the failed one said', () => {
    const log = [
      event('start'),
      event('run', 'TestOperator'),
      event('run', 'TestOperator/envtest_starts'),
      event('output', 'TestOperator/envtest_starts', '2026-11-16T00:06:21Z\tDEBUG\tstarting control plane\n'),
      event('pass', 'TestOperator/envtest_starts'),
      event('output', 'TestOperator/a_CRD_works', '    operator_test.go:54: no kind "Website": is/registered\n'),
      event('fail', 'TestOperator/a_CRD_works'),
      event('fail', 'TestOperator'),
    ];
    expect(readGoTest(log.join('\n'))).toEqual([
      { step: 'envtest starts', ok: true },
      { step: 'a CRD works', ok: false, why: 'no kind "Website": is/registered' },
    ]);
  });

  it('is nothing when the tests did not even build', () => {
    const log = [event('build-output', undefined, 'undefined: x\n'), event('fail')];
    expect(readGoTest(log.join('\n'))).toEqual([]);
  });
});

describe('the table', () => {
  const results = [
    { direction: 'client-go', verdicts: [{ step: 'a CRD works', ok: true }] },
    { direction: 'envtest', verdicts: [{ step: 'it starts', ok: false, why: 'no port\nis free' }] },
  ];

  it('has a row for each step, and tells why one failed', () => {
    expect(formatTable(results)).toBe(
      [
        'direction  step         outcome',
        'client-go  a CRD works  ok',
        'envtest    it starts    failed: no port',
        '    is free',
        '',
        '1 of 2 steps are ok',
        '',
      ].join('\n'),
    );
  });

  it('is good when every direction was tried and every step is', () => {
    expect(isGood(results)).toBe(false);
    expect(isGood(results.slice(0, 1))).toBe(true);
    expect(isGood([{ direction: 'client-go', verdicts: [] }])).toBe(false);
  });
});
