import { fileURLToPath } from 'node:url';
import { customResource } from '@coxswain/client';
import { startCluster } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { type At, ats } from './at.ts';
import { runAtController } from './controller.ts';

it('waits until the time, creates a pod, and is done when the pod has ended', async () => {
  const cluster = await startCluster({ now: '2026-07-01T00:00:00Z' });
  await cluster.applyFile(fileURLToPath(new URL('../manifests/at-crd.yaml', import.meta.url)));
  const end = new AbortController();
  const running = runAtController(cluster.rest, end.signal, cluster.clock);
  const atClient = customResource<At>(cluster.rest, ats)('default');
  const isIn = async (phase: string): Promise<boolean> => (await atClient.get('example-at')).status?.phase === phase;

  const spec = {
    schedule: '2026-07-03T02:00:00Z',
    containers: [{ name: 'shell', image: 'busybox', command: ['echo', 'YAY'] }],
  };
  const at = await atClient.create({ metadata: { name: 'example-at' }, spec });
  await cluster.until(() => isIn('PENDING'));
  await cluster.advance('48h');
  const pods = cluster.clients.core.v1.pods('default');
  expect((await pods.list()).items).toEqual([]);
  await cluster.until(() => isIn('DONE'), { within: '3h' });
  expect(await pods.get('example-at-pod')).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'At', name: 'example-at', uid: at.metadata.uid }] },
    spec: { containers: [{ command: ['echo', 'YAY'] }] },
    status: { phase: 'Succeeded' },
  });
  expect(cluster.clock.now()).toBeLessThan(Date.parse('2026-07-03T02:01:00Z'));
  end.abort();
  await running;
  await cluster.stop();
});
