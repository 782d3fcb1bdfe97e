import { silentLogger } from '@coxswain/apimachinery/log';
import { ClientSet, RESTClient } from '@coxswain/client';
import { runtimeInProcess } from '@coxswain/cri';
import { expect, it } from 'vitest';
import { HollowMachine, HollowRuntime, Kubelet } from '../src/index.ts';
import { CachedConfigSource } from '../src/volumes/config-source.ts';
import { TestNodes } from './test-nodes.ts';

/** A runtime that has no network before it is told the addresses of pods. */
class LateNetwork extends HollowRuntime {
  #hasNetwork = false;

  override async updateRuntimeConfig(...args: Parameters<HollowRuntime['updateRuntimeConfig']>) {
    this.#hasNetwork = true;
    return await super.updateRuntimeConfig(...args);
  }

  override async status(...args: Parameters<HollowRuntime['status']>) {
    const answer = await super.status(...args);
    const conditions = answer.status.conditions.map((each) =>
      each.type === 'NetworkReady' ? { ...each, status: this.#hasNetwork, reason: 'NetworkPluginNotReady' } : each,
    );
    return { ...answer, status: { conditions } };
  }
}

it('a node is ready as soon as its runtime has a network, not only with the next report', async () => {
  const nodes = await TestNodes.start([]);
  const { clock } = nodes;
  const runtime = new LateNetwork({ clock });
  const clients = new ClientSet(new RESTClient(nodes.spy));
  const config = new CachedConfigSource(clients, clock);
  const machine = new HollowMachine({ nodeName: 'alone', clock, config, logs: runtime, bootId: 'b' });
  const services = runtimeInProcess(runtime, runtime, clock);
  const common = { clients, machine, clock, random: () => 0, logger: silentLogger };
  const kubelet = new Kubelet({ ...common, node: { name: 'alone' }, runtime: services });
  const end = new AbortController();
  const running = kubelet.run(end.signal);
  const ready = async () => {
    const { status } = await nodes.clients.core.v1.nodes().get('alone');
    return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  };
  try {
    await nodes.settle();
    expect(await ready()).toBe('False');
    const spec = { podCIDR: '10.9.0.0/24', podCIDRs: ['10.9.0.0/24'] };
    await nodes.clients.core.v1.nodes().patch('alone', 'merge', { spec });
    await nodes.settle();
    expect(await ready()).toBe('True');
  } finally {
    end.abort();
    await nodes.advance(120_000);
    await running;
    runtime.close();
    await nodes.stop();
  }
});
