import { describe, expect, it } from 'vitest';
import { type Failure, type GinkgoReport, readReport, type SpecReport } from './report.ts';

const name = '[sig-apps] Job should delete a job [Conformance]';

function spec(parts: Partial<SpecReport> = {}): SpecReport {
  return {
    ContainerHierarchyTexts: ['[sig-apps] Job'],
    LeafNodeType: 'It',
    LeafNodeText: 'should delete a job [Conformance]',
    State: 'passed',
    ...parts,
  };
}

function failed(message: string, parts: Partial<SpecReport> = {}): SpecReport {
  const location = { FileName: '/home/me/go/pkg/mod/k8s.io/kubernetes@v1.36.4/test/e2e/apps/job.go', LineNumber: 902 };
  return spec({
    State: 'failed',
    Failure: { Message: message, Location: location, TimelineLocation: { Order: 10 } },
    ...parts,
  });
}

function outcome(...specs: SpecReport[]) {
  const report: GinkgoReport = [{ SpecReports: specs }];
  return readReport(report, [name]).get(name);
}

describe('a report', () => {
  it('has the outcome of a passed test', () => {
    expect(outcome(spec())).toBe('passed');
  });

  it('has the step, the message and the source location of a failure', () => {
    const events = [
      { SpecEventType: 'By', Message: 'Creating a job', TimelineLocation: { Order: 1 } },
      { SpecEventType: 'By', Message: 'Deleting the job', TimelineLocation: { Order: 3 } },
      { SpecEventType: 'Node', Message: '', TimelineLocation: { Order: 4 } },
      { SpecEventType: 'By', Message: 'Destroying the namespace', TimelineLocation: { Order: 11 } },
    ];
    expect(outcome(failed('it is still there', { SpecEvents: events }))).toEqual({
      step: 'Deleting the job',
      message: 'it is still there',
      at: 'test/e2e/apps/job.go:902',
    });
  });

  it('has no step when the test failed before its first step', () => {
    expect(outcome(failed('no cluster'))).toEqual({ message: 'no cluster', at: 'test/e2e/apps/job.go:902' });
  });

  it('has the message of a panic', () => {
    const panicked = { Message: 'Test Panicked', ForwardedPanic: 'nil pointer', TimelineLocation: { Order: 2 } };
    expect(outcome(spec({ State: 'panicked', Failure: panicked }))).toMatchObject({
      message: 'panicked: Test Panicked: nil pointer',
    });
  });

  it('counts a test that skipped itself as failed, with its reason', () => {
    const skip = { Message: 'Requires at least 3 nodes (not 2)' };
    expect(outcome(spec({ State: 'skipped', Failure: skip }))).toMatchObject({
      message: 'skipped: Requires at least 3 nodes (not 2)',
    });
  });

  it('counts a missing test as failed', () => {
    expect(outcome(spec({ LeafNodeText: 'should do something else' }))).toMatchObject({
      message: 'the test binary does not have it',
    });
  });

  it('throws when the suite did not start', () => {
    const suite = failed('nodes are not ready', { LeafNodeType: 'SynchronizedBeforeSuite', LeafNodeText: '' });
    expect(() => outcome(suite, spec({ State: 'skipped' }))).toThrow(/did not start: nodes are not ready/);
  });

  it('may have suites without tests', () => {
    expect(readReport([{ SpecReports: null }], [])).toEqual(new Map());
  });
});

describe('a message', () => {
  it.each<[string, string]>([
    ['namespace "webhook-5382" went', 'namespace "webhook-<number>" went'],
    ['pod simpletest.rc-7xkql in job-fb6d9c7c8-x2v9z', 'pod simpletest.rc-<random> in job-<random>'],
    ['pod-init-6f1b2d1e-5b0f-4d4c-a1d6-0242ac130003', 'pod-init-<uid>'],
    ['Timed out after 300.042s.', 'Timed out after <duration>.'],
    ['waited 1m30.5s', 'waited <duration>'],
    ['dial tcp 127.0.0.1:44691: refused', 'dial tcp <ip>: refused'],
    ['at 2026-11-15T23:59:44.324Z it', 'at <time> it'],
    ['several\n\n    lines', 'several lines'],
    ['got instead:\n    <*v1.Pod | 0xc0003>: \n      metadata: {}', 'got instead:'],
    ['Expected\n    <*errors.errorString | 0x2ad07614e7b0>: \n    no pod', 'Expected no pod'],
    ['on node hollow-1 ResourceVersion:7637', 'on node hollow-<number> ResourceVersion:<number>'],
    ['should-not-change', 'should-not-change'],
  ])('%s is kept as %s', (message, kept) => {
    expect((outcome(failed(message)) as Failure).message).toBe(kept);
  });

  it('is truncated when it is long', () => {
    expect((outcome(failed('word '.repeat(200))) as Failure).message).toHaveLength(301);
  });
});
