import type { Node } from '@coxswain/api/core/v1';
import { silentLogger } from '@coxswain/apimachinery/log';
import { ClientSet, RESTClient } from '@coxswain/client';
import type { ContainerRuntime } from '@coxswain/cri';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HollowMachine, HollowRuntime, Kubelet } from '../src/index.ts';
import { CachedConfigSource } from '../src/volumes/config-source.ts';
import { TestNodes } from './test-nodes.ts';

const services = ['runtime', 'images'] as const;

/** A container runtime whose calls fail or hang if the test says so. */
class FaultyRuntime {
  answers: 'all' | 'nothing' | 'errors' = 'all';
  readonly services: ContainerRuntime;

  constructor(runtime: ContainerRuntime) {
    const faulty = <T extends object>(service: T): T =>
      new Proxy(service, {
        get: (target, key) => {
          const method: unknown = Reflect.get(target, key);
          if (typeof method !== 'function' || key === 'getContainerEvents') return method;
          return async (...args: unknown[]) => {
            if (this.answers === 'errors') throw new Error('connection refused');
            // A hanging call ends at its deadline.
            if (this.answers === 'nothing') await this.#untilDeadline(args[1] as { timeoutMs?: number });
            return await Reflect.apply(method, target, args);
          };
        },
      });
    const [service, images] = services.map((name) => faulty(runtime[name]));
    this.services = { ...runtime, runtime: service, images } as ContainerRuntime;
  }

  /** Waits on the test's clock, which the test sets. */
  wait: (ms: number) => Promise<void> = async () => {};

  async #untilDeadline({ timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<never> {
    if (timeoutMs === undefined) return await new Promise<never>(() => {});
    await this.wait(timeoutMs);
    throw new Error('deadline exceeded');
  }
}

describe.each(['errors', 'nothing'] as const)('a container runtime that answers with %s', (answers) => {
  let nodes: TestNodes;
  let faulty: FaultyRuntime;
  let start: () => Promise<void>;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    nodes = await TestNodes.start([]);
    const { clock } = nodes;
    const runtime = new HollowRuntime({ clock });
    faulty = new FaultyRuntime(runtime.services);
    faulty.wait = (ms) => new Promise((resolve) => void clock.setTimeout(resolve, ms));
    const clients = new ClientSet(new RESTClient(nodes.spy));
    const config = new CachedConfigSource(clients, clock);
    const machine = new HollowMachine({ nodeName: 'alone', clock, config, logs: runtime, bootId: 'b' });
    const kubelet = new Kubelet({
      node: { name: 'alone' },
      clients,
      runtime: faulty.services,
      machine,
      clock,
      random: () => 0,
      logger: silentLogger,
    });
    const end = new AbortController();
    let running: Promise<void> | undefined;
    start = async () => {
      running = kubelet.run(end.signal);
      await nodes.settle();
    };
    stop = async () => {
      end.abort();
      await nodes.advance(120_000);
      await running;
      runtime.close();
    };
  });
  afterEach(async () => {
    await stop();
    await nodes.stop();
  });

  const node = (): Promise<Node> => nodes.clients.core.v1.nodes().get('alone');
  const readiness = async () => (await node()).status?.conditions?.find(({ type }) => type === 'Ready');

  it('makes its node not ready after half a minute, until it answers again', async () => {
    await start();
    await nodes.clients.core.v1.pods('default').create({
      metadata: { name: 'web' },
      spec: { nodeName: 'alone', containers: [{ name: 'web', image: 'registry.example/web:1' }] },
    });
    await nodes.advance(10_000);
    const before = (await node()).status!;
    expect(before.images).toHaveLength(1);

    faulty.answers = answers;
    await nodes.advance(20_000, 5000);
    expect(await readiness()).toMatchObject({ status: 'True' });
    await nodes.advance(40_000, 5000);
    expect(await readiness()).toMatchObject({ status: 'False', message: 'container runtime is down' });
    // The runtime's previous answers stay in the status.
    const { images, features, runtimeHandlers } = (await node()).status!;
    expect({ images, features, runtimeHandlers }).toEqual({
      images: before.images,
      features: before.features,
      runtimeHandlers: before.runtimeHandlers,
    });
    await nodes.advance(240_000, 10_000);
    expect((await readiness())?.message).toMatch(
      /^\[container runtime is down, PLEG is not healthy: pleg was last seen active \dm\d+s ago; threshold is 3m0s\]$/,
    );

    faulty.answers = 'all';
    await nodes.advance(120_000, 5000);
    expect(await readiness()).toMatchObject({ status: 'True', message: 'kubelet is posting ready status' });
    expect((await nodes.events('alone')).slice(-2)).toEqual([
      'NodeNotReady: Node alone status is now: NodeNotReady',
      'NodeReady: Node alone status is now: NodeReady',
    ]);
    expect((await nodes.pod('web')).status).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ restartCount: 0 }],
    });
  });

  it('does not keep a kubelet that is started from reporting its node and renewing its lease', async () => {
    faulty.answers = answers;
    await start();
    await nodes.advance(180_000, 10_000);
    const lease = () => nodes.clients.coordination.v1.leases('kube-node-lease').get('alone');
    expect(await readiness()).toMatchObject({
      status: 'False',
      message: 'container runtime status check may not have completed yet',
    });
    const { renewTime } = (await lease()).spec!;
    await nodes.advance(20_000, 10_000);
    expect((await lease()).spec?.renewTime).not.toBe(renewTime);

    faulty.answers = 'all';
    await nodes.advance(150_000, 10_000);
    expect(await readiness()).toMatchObject({ status: 'True' });
    expect((await node()).status?.nodeInfo?.containerRuntimeVersion).toBe('hollow://1.0.0');
  });
});
