import { describe, expect, it } from 'vitest';
import { formatTable, isGood } from './table.ts';
import { readGoTest, readVerdicts } from './verdict.ts';

describe('the output of the judge', () => {
  it('has a verdict per line, among other log lines', () => {
    const log = [
      'I1116 00:04:19.498385   15900 leaderelection.go:272] "Successfully acquired lease"',
      '{"ok":true,"step":"a Deployment comes up"}',
      '{"ok":false,"step":"a namespace goes","why":"timed out: it is still there"}',
      '{"ok":true,"step":"not all of i',
    ];
    expect(readVerdicts(log.join('\n'))).toEqual([
      { step: 'a Deployment comes up', ok: true },
      { step: 'a namespace goes', ok: false, why: 'timed out: it is still there' },
    ]);
  });
});

describe('the output of `go test -json`', () => {
  const event = (Action: string, Test?: string, Output?: string): string => JSON.stringify({ Action, Test, Output });

  it('gives a verdict for each subtest, with the message of a failed one', () => {
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

  it('gives no verdicts when the tests did not compile', () => {
    const log = [event('build-output', undefined, 'undefined: x\n'), event('fail')];
    expect(readGoTest(log.join('\n'))).toEqual([]);
  });
});

describe('the table', () => {
  const results = [
    { direction: 'client-go', verdicts: [{ step: 'a CRD works', ok: true }] },
    { direction: 'envtest', verdicts: [{ step: 'it starts', ok: false, why: 'no port\nis free' }] },
  ];

  it('has a row for each step, with the reason of a failure', () => {
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

  it('has a row for a direction that was skipped, which is no failure', () => {
    const skipped = [...results.slice(0, 1), { direction: 'our-kubelet', verdicts: [], skipped: 'no containerd' }];
    expect(formatTable(skipped)).toBe(
      [
        'direction    step         outcome',
        'client-go    a CRD works  ok',
        'our-kubelet               skipped: no containerd',
        '',
        '1 of 1 steps are ok',
        '',
      ].join('\n'),
    );
    expect(isGood(skipped)).toBe(true);
  });

  it('is good when every direction ran and every step passed', () => {
    expect(isGood(results)).toBe(false);
    expect(isGood(results.slice(0, 1))).toBe(true);
    expect(isGood([{ direction: 'client-go', verdicts: [] }])).toBe(false);
  });
});
