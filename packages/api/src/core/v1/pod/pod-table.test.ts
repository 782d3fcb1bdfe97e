import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../generated/core/v1.ts';
import { podTable } from './pod-table.ts';

const context = { now: new Date('2026-01-11T00:00:00Z') };
const pod = (status: Pod['status'], metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { name: 'web', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  spec: { containers: [{ name: 'web' }] },
  status,
});
const deleted = { deletionTimestamp: '2026-01-10T00:00:00Z' };

describe('a pod that is being deleted', () => {
  it.each<[string, Pod['status'], string]>([
    ['is terminating', { phase: 'Running' }, 'Terminating'],
    ['is unknown when its node is lost', { phase: 'Running', reason: 'NodeLost' }, 'Unknown'],
    ['has failed when it has failed', { phase: 'Failed' }, 'Failed'],
    ['has succeeded when it has succeeded', { phase: 'Succeeded' }, 'Succeeded'],
  ])('%s', (_, status, reason) => expect(podTable.row(pod(status, deleted), context)[2]).toBe(reason));
});

describe('restarts', () => {
  const container = (restartCount: number, finishedAt?: string) => ({
    name: 'web',
    image: '',
    imageID: '',
    ready: true,
    restartCount,
    state: { running: {} },
    lastState: finishedAt ? { terminated: { exitCode: 1, finishedAt } } : {},
  });

  it('are summed up, with the time of the last one', () => {
    const status: Pod['status'] = {
      phase: 'Running',
      containerStatuses: [container(2, '2026-01-10T23:00:00Z'), container(3, '2026-01-10T23:58:00Z')],
    };
    const [, ready, , restarts, age] = podTable.row(pod(status), context);
    expect([ready, restarts, age]).toEqual(['2/1', '5 (2m ago)', '10d']);
  });

  it('have no time when there are none', () => {
    const status: Pod['status'] = { phase: 'Running', containerStatuses: [container(0, '2026-01-10T23:00:00Z')] };
    expect(podTable.row(pod(status), context)[3]).toBe('0');
  });
});
