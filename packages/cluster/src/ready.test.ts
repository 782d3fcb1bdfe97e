import { setImmediate } from 'node:timers/promises';
import { startApiServer } from '@coxswain/apiserver';
import { ClientSet, InProcessTransport, RESTClient } from '@coxswain/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilNodesReady } from './nodes/until-ready.ts';
import { untilPodsMayCome } from './ready.ts';

let server: Awaited<ReturnType<typeof startApiServer>>;
let clients: ClientSet;
beforeAll(async () => {
  server = await startApiServer({ memory: true });
  const transport = server.transport({ username: 'me', groups: ['system:masters'] });
  clients = new ClientSet(new RESTClient(new InProcessTransport(transport)));
});
afterAll(() => server.stop());

it('waits for the default service account, for what its pods mount and for the expected nodes only', async () => {
  const { nodes, configMaps, serviceAccounts } = clients.core.v1;
  // Every new node has a taint, which the node controller normally removes.
  const addNode = async (name: string) => {
    await nodes().create({ metadata: { name } });
    await nodes().patch(name, 'merge', { spec: { taints: null } });
  };
  const say = (name: string, status: string) =>
    nodes().patchStatus(name, 'merge', { status: { conditions: [{ type: 'Ready', status }] } });
  const expected = [{ name: 'a' }, { name: 'b' }];
  const untilAll = async (): Promise<void> => {
    await untilPodsMayCome(clients, {});
    await untilNodesReady(clients, expected, {});
  };
  const done: string[] = [];
  const ready = untilAll().then(() => done.push('ready'));
  for (const name of ['of-old', 'a', 'b']) await addNode(name);
  await say('of-old', 'Unknown');
  await say('b', 'True');
  await serviceAccounts('default').create({ metadata: { name: 'default' } });
  await say('a', 'False');
  expect(done).toEqual([]);
  await say('a', 'True');
  // Enough turns for it to resolve if nothing else were missing.
  for (let turn = 0; turn < 20; turn++) {
    await nodes().list();
    await setImmediate();
  }
  expect(done).toEqual([]);
  await configMaps('default').create({ metadata: { name: 'kube-root-ca.crt' } });
  await ready;
  // Resolves at once when everything is ready.
  await untilAll();
});
