import { ClientSet, RESTClient } from '@coxswain/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HollowMachine, HollowRuntime, Kubelet } from '../src/index.ts';
import { CachedConfigSource } from '../src/volumes/config-source.ts';
import { containersOf } from './brief.ts';
import { TestNodes } from './test-nodes.ts';

let nodes: TestNodes;
beforeAll(async () => {
  nodes = await TestNodes.start([]);
});
afterAll(() => nodes.stop());

/** Starts a kubelet that is not part of the fleet, with its own watches. Returns a function that stops it. */
async function startKubelet(runtime: HollowRuntime): Promise<() => Promise<void>> {
  const { clock } = nodes;
  const clients = new ClientSet(new RESTClient(nodes.spy));
  const config = new CachedConfigSource(clients, clock);
  const kubelet = new Kubelet({
    node: { name: 'alone' },
    clients,
    runtime: runtime.services,
    machine: new HollowMachine({ nodeName: 'alone', clock, config, logs: runtime, bootId: 'b' }),
    clock,
    random: () => 0,
  });
  const stop = new AbortController();
  const running = kubelet.run(stop.signal);
  await nodes.settle();
  return async () => {
    stop.abort();
    await running;
  };
}

it('a restarted kubelet takes over the containers that its runtime has kept', async () => {
  const runtime = new HollowRuntime({ clock: nodes.clock });
  const stop = await startKubelet(runtime);
  const pods = nodes.clients.core.v1.pods('default');
  const readinessProbe = { tcpSocket: { port: 80 }, periodSeconds: 5 };
  const container = { name: 'web', image: 'registry.example/web:1', readinessProbe };
  const run = (name: string, annotations: Record<string, string> = {}) =>
    pods.create({ metadata: { name, annotations }, spec: { nodeName: 'alone', containers: [container] } });
  await run('kept');
  await run('gone');
  await run('ends', { 'hollow.coxswain.dev/run-for': '30s', 'hollow.coxswain.dev/exit-times': '1' });
  await nodes.settle();
  const before = await nodes.pod('kept');
  expect(containersOf(before)).toEqual(['web running started ready']);
  await stop();

  await pods.delete('gone', { gracePeriodSeconds: 0 });
  await nodes.advance(40_000);
  const writes = nodes.spy.requests.length;
  const stopAgain = await startKubelet(runtime);
  expect(await nodes.pod('kept')).toEqual(before);
  expect(nodes.spy.requests.slice(writes).filter((request) => request.includes('/pods/kept'))).toEqual([]);
  expect(containersOf(await nodes.pod('ends'))).toEqual(['web running started ready (restarts 1, last Completed 0)']);
  expect(
    (await runtime.services.runtime.listPodSandbox({})).items.map(({ metadata }) => metadata?.name).sort(),
  ).toEqual(['ends', 'kept']);
  await stopAgain();
  runtime.close();
});
