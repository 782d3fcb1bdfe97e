import type { Taint } from '@coxswain/api/core/v1';
import type { ResourceSlice } from '@coxswain/api/resource/v1';
import { readJson } from '@coxswain/apimachinery/codec/json';
import { expect, it } from 'vitest';
import { dueTimes, scheduleOf } from './cronjob/schedule.ts';
import { claimEviction } from './device-taint-eviction/device-taints.ts';
import { currentSlices } from './framework/devices/current-slices.ts';
import { byRevision } from './framework/history/controller-revision.ts';
import { remainingDeadlineMs } from './job/job-outcome.ts';
import { toleratedForMs } from './taint-eviction/toleration-time.ts';

/** An int64 field as a client parses it: a bigint beyond 2^53, although its type is number. */
const int64 = (digits: string): number => readJson(digits) as number;
const most = int64('9223372036854775807');

// Users may write any int64 into these fields. None of the values must make a controller fail.
const cases: Record<string, () => void> = {
  'tolerationSeconds of a taint': () => {
    const taint: Taint = { key: 'a', effect: 'NoExecute' };
    const forMs = toleratedForMs([taint], [{ operator: 'Exists', tolerationSeconds: most }]);
    expect(forMs).toBeGreaterThan(9e21);
  },
  'tolerationSeconds of a device taint': () => {
    const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
    const taint = { key: 'a', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' } as const;
    const slices: ResourceSlice[] = [
      { metadata: {}, spec: { driver: 'd', pool, devices: [{ name: 'one', taints: [taint] }] } },
    ];
    const tolerations = [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: most }] as const;
    const results = [{ request: 'r', driver: 'd', pool: 'p', device: 'one', tolerations: [...tolerations] }];
    const claim = { metadata: {}, spec: {}, status: { allocation: { devices: { results } } } };
    expect(claimEviction(claim, { slicesOf: () => slices, rules: [] })?.atMs).toBeGreaterThan(9e21);
  },
  'generations of pools that differ in the last digit': () => {
    const slices = ['9007199254740993', '9007199254740995', '5'].map(
      (generation): ResourceSlice => ({
        metadata: { name: generation },
        spec: { driver: 'd', pool: { name: 'p', generation: int64(generation), resourceSliceCount: 1 } },
      }),
    );
    expect(currentSlices(slices)).toEqual([slices[1]]);
  },
  'startingDeadlineSeconds of a CronJob': () => {
    const spec = { schedule: '0 * * * *', jobTemplate: {}, startingDeadlineSeconds: most };
    const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' };
    const now = Date.parse('2026-01-01T02:30:00Z');
    const due = dueTimes({ metadata, spec }, scheduleOf({ metadata, spec }), now, { untilDeadline: true });
    expect(due.mostRecent?.toISOString()).toBe('2026-01-01T02:00:00.000Z');
  },
  'activeDeadlineSeconds of a Job': () => {
    const spec = { template: {}, activeDeadlineSeconds: most };
    const observation = { spec } as Parameters<typeof remainingDeadlineMs>[0];
    expect(remainingDeadlineMs(observation, 0, 0)).toBeGreaterThan(9e21);
  },
  'the number of a revision': () => {
    const numbered = (revision: number) => ({ metadata: { name: String(revision) }, revision });
    expect([numbered(most), numbered(3), numbered(7)].sort(byRevision).map(({ revision }) => revision)).toEqual([
      3,
      7,
      most,
    ]);
  },
};
it.each(Object.entries(cases))('%s', (_, check) => check());
