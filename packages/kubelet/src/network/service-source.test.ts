import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, RESTClient } from '@coxswain/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InformerServiceSource } from './service-source.ts';

let server: RunningApiServer;
const stop = new AbortController();
beforeEach(async () => {
  server = await startApiServer({ memory: true, authorizationMode: ['RBAC'] });
});
afterEach(async () => {
  stop.abort();
  await server.stop();
});

it('returns the Services of one namespace only', async () => {
  const transport = new InProcessTransport(server.transport({ username: 'admin', groups: ['system:masters'] }));
  const clients = new ClientSet(new RESTClient(transport));
  const spec = { ports: [{ port: 80 }] };
  await clients.core.v1.namespaces().create({ metadata: { name: 'other' } });
  await clients.core.v1.services('default').create({ metadata: { name: 'web' }, spec });
  await clients.core.v1.services('other').create({ metadata: { name: 'web-of-others' }, spec });
  const source = new InformerServiceSource({ clients });
  expect(source.hasSynced).toBe(false);
  const running = source.run(stop.signal);
  await vi.waitFor(() => expect(source.hasSynced).toBe(true));
  expect(source.inNamespace('other').map(({ metadata }) => metadata.name)).toEqual(['web-of-others']);
  stop.abort();
  await running;
});
