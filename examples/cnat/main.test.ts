import { readFile } from 'node:fs/promises';
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { parseYaml } from '@coxswain/apimachinery/codec';
import { isObjectEvent } from '@coxswain/apimachinery/watch';
import { customResource, FakeClock, type Watch } from '@coxswain/client';
import { expect, it } from 'vitest';
import { startInProcess } from '../in-process.ts';
import { type At, ats } from './at.ts';
import { runAtController } from './controller.ts';

/** The first object of the watch that is as wanted. */
async function until<T>(watch: Watch<T>, isIt: (object: T) => boolean): Promise<T> {
  for await (const event of watch) if (isObjectEvent(event) && isIt(event.object)) return event.object;
  throw new Error(`the watch ended: ${JSON.stringify(await watch.ended)}`);
}

it('waits for the time, makes a pod, and is done when the pod is', async () => {
  const { rest, clients, stop } = await startInProcess();
  const definition = await readFile(new URL('../manifests/at-crd.yaml', import.meta.url));
  const crds = clients.apiextensions.v1.customResourceDefinitions();
  await crds.create(parseYaml(definition).value as CustomResourceDefinition);
  await until(
    await crds.watch(),
    ({ status }) => !!status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True'),
  );

  const clock = new FakeClock(Date.UTC(2026, 6, 1));
  const end = new AbortController();
  const running = runAtController(rest, end.signal, clock);
  const atClient = customResource<At>(rest, ats)('default');
  const phase = async (wanted: string): Promise<At> =>
    until(await atClient.watch(), (at) => at.status?.phase === wanted);

  const spec = {
    schedule: '2026-07-03T02:00:00Z',
    containers: [{ name: 'shell', image: 'busybox', command: ['echo', 'YAY'] }],
  };
  await atClient.create({ metadata: { name: 'example-at' }, spec });
  await phase('PENDING');
  await clock.advance(48 * 3_600_000);
  expect((await clients.core.v1.pods('default').list()).items).toEqual([]);
  await clock.advance(2 * 3_600_000);
  const at = await phase('RUNNING');
  const pod = await until(await clients.core.v1.pods('default').watch(), () => true);
  expect(pod).toMatchObject({
    metadata: { name: 'example-at-pod', ownerReferences: [{ kind: 'At', name: 'example-at', uid: at.metadata.uid }] },
    spec: { containers: [{ command: ['echo', 'YAY'] }] },
  });
  // No node is there to run it.
  await clients.core.v1.pods('default').updateStatus({ ...pod, status: { phase: 'Succeeded' } });
  await phase('DONE');
  end.abort();
  await running;
  await stop();
});
