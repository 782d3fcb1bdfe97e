import type { Deployment } from '@coxswain/api/apps/v1';
import { isObjectEvent } from '@coxswain/apimachinery/watch';
import type { ClientSet } from '@coxswain/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startInProcess } from '../in-process.ts';
import { runController } from './controller.ts';

let server: Awaited<ReturnType<typeof startInProcess>>;
let clients: ClientSet;
const stop = new AbortController();
let running: Promise<void>;
beforeAll(async () => {
  server = await startInProcess();
  clients = server.clients;
  running = runController(clients, stop.signal);
});
afterAll(async () => {
  stop.abort();
  await running;
  await server.stop();
});

const deployment = (name: string): Deployment => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

async function untilLabelled(namespace: string, name: string, team: string): Promise<void> {
  const watch = await clients.apps.v1.deployments(namespace).watch({ fieldSelector: `metadata.name=${name}` });
  for await (const event of watch) {
    if (isObjectEvent(event) && event.object.metadata.labels?.team === team) return;
  }
}

it('labels new Deployments, and those of a namespace whose team changes', async () => {
  const namespaces = clients.core.v1.namespaces();
  await namespaces.create({ metadata: { name: 'shop', labels: { team: 'red' } } });
  const created = await clients.apps.v1.deployments('shop').create(deployment('web'));
  // Another client writes at the same time: the controller must handle the conflict itself.
  await clients.apps.v1.deployments('shop').patch('web', 'merge', { metadata: { annotations: { by: 'someone' } } });
  await untilLabelled('shop', 'web', 'red');
  await namespaces.patch('shop', 'merge', { metadata: { labels: { team: 'blue' } } });
  await untilLabelled('shop', 'web', 'blue');
  const labelled = await clients.apps.v1.deployments('shop').get('web');
  expect(labelled.metadata.annotations).toEqual({ by: 'someone' });
  expect(labelled.spec).toEqual(created.spec);
});
