import { recordLogs } from '@coxswain/apimachinery/log';
import { FakeClock } from '@coxswain/client';
import { expect, it } from 'vitest';
import type { ListedPod } from '../runtime/kube-runtime.ts';
import { OrphanRemoval } from './orphan-removal.ts';

const listedPod = (uid: string): ListedPod => ({
  uid,
  name: uid,
  namespace: 'default',
  sandboxes: [{ id: `sandbox of ${uid}`, isReady: true }],
  containers: [{ id: `container of ${uid}`, name: 'main', image: 'web', state: 'Running' }],
});

it('containers, sandboxes and files of pods without a worker are removed, also of those that appear later', async () => {
  const clock = new FakeClock();
  const { logger, lines } = recordLogs();
  const done: string[] = [];
  let listed: readonly ListedPod[] = [listedPod('known'), listedPod('old')];
  let uids: readonly string[] = ['known', 'old', 'only files'];
  let isFailing = true;
  const orphans = new OrphanRemoval({
    runtime: {
      listPods: async () => [...listed],
      stopContainer: async (id) => void done.push(`stop ${id}`),
      removePodSandbox: async (id) => void done.push(`remove ${id}`),
    },
    machine: {
      podUids: async () => uids,
      async removePod(uid) {
        if (isFailing) throw new Error('device is busy');
        done.push(`remove ${uid}`);
      },
    },
    hasWorker: (uid) => uid === 'known',
    nodeName: 'n1',
    clock,
    logger,
  });
  const stop = new AbortController();
  const running = orphans.run({ subscribe: () => () => {}, whenSynced: async () => {} }, stop.signal);
  await clock.advance(0);
  expect(orphans.hasSucceeded).toBe(false);
  expect(lines[0]).toContain('device is busy');

  isFailing = false;
  done.length = 0;
  await clock.advance(10_000);
  expect(done).toEqual(['stop container of old', 'remove sandbox of old', 'remove old', 'remove only files']);
  expect(orphans.hasSucceeded).toBe(true);

  done.length = 0;
  [listed, uids] = [[listedPod('known'), listedPod('late')], ['known']];
  await clock.advance(60_000);
  expect(done).toEqual([]);
  orphans.suspect();
  await clock.advance(10_000);
  expect(done).toEqual(['stop container of late', 'remove sandbox of late', 'remove late']);
  stop.abort();
  await running;
});
