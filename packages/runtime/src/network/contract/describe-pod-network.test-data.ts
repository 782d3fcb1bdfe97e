import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NetworkedPod, PodNetwork, PortMapping } from '../pod-network.ts';
import { TestMachine } from './test-machine.test-data.ts';
import { testPod } from './test-pod.test-data.ts';

export const testRanges = { podCIDR: '10.77.1.0/24,fd77:1::/64', clusterCIDR: '10.77.0.0/16,fd77::/16' };

export interface PodNetworkCase {
  /** A network in the state that an earlier one with the same machine has left on disk. */
  readonly start: (machine: TestMachine) => Promise<PodNetwork>;
  readonly removeEverything: (network: PodNetwork, machine: TestMachine) => Promise<void>;
  /** Prepares the node. */
  readonly before?: (machine: TestMachine) => Promise<void>;
}

/** The tests of every implementation of `PodNetwork`, with real packets. */
export function describePodNetwork(
  name: string,
  problem: string | undefined,
  { start, removeEverything, before }: PodNetworkCase,
) {
  describe.skipIf(problem !== undefined)(`${name}${problem ? ` (${problem})` : ''}`, () => {
    let machine: TestMachine;
    let network: PodNetwork;
    /** Two pods with servers on port 8080. */
    let a: NetworkedPod;
    let b: NetworkedPod;
    let ipsOfA: readonly string[];
    let ipsOfB: readonly string[];

    let untouched: string;

    beforeAll(async () => {
      machine = await TestMachine.start();
      await before?.(machine);
      untouched = await machine.traces();
      network = await start(machine);
      expect(await network.problem()).toBeUndefined();
      a = testPod('a', await machine.pod('a'));
      b = testPod('b', await machine.pod('b'), [
        { protocol: 'TCP', containerPort: 8080, hostPort: 18080, hostIP: '' },
        { protocol: 'UDP', containerPort: 8080, hostPort: 18080, hostIP: '' },
        { protocol: 'TCP', containerPort: 8080, hostPort: 18081, hostIP: '192.0.2.1' },
        { protocol: 'TCP', containerPort: 8080, hostPort: 18082, hostIP: '127.0.0.1' },
      ]);
      ipsOfA = (await network.setUp(a)).ips;
      ipsOfB = (await network.setUp(b)).ips;
      await Promise.all([a.netns, b.netns, machine.node, machine.remote].map((netns) => machine.serve(netns, 8080)));
    });
    afterAll(() => machine.stop());

    it('gives each pod an address of each range', () => {
      expect(ipsOfA[0]).toMatch(/^10\.77\.1\.\d+$/);
      expect(ipsOfA[1]).toMatch(/^fd77:1::/);
      expect(ipsOfA).toHaveLength(2);
      expect(ipsOfB).not.toContain(ipsOfA[0]);
      expect(ipsOfB).not.toContain(ipsOfA[1]);
    });

    it.each([0, 1])('lets pods reach each other, with their own addresses (address %i)', async (i) => {
      for (const protocol of ['tcp', 'udp'] as const) {
        expect(await machine.ask(protocol, a.netns, ipsOfB[i]!, 8080)).toBe(ipsOfA[i]);
      }
      expect(await machine.ask('tcp', a.netns, ipsOfA[i]!, 8080)).toBe(ipsOfA[i]);
    });

    it('lets the node and pods reach each other', async () => {
      expect(await machine.ask('tcp', machine.node, ipsOfA[0]!, 8080)).toBe('10.77.1.1');
      expect(await machine.ask('tcp', a.netns, '192.0.2.1', 8080)).toBe(ipsOfA[0]);
      expect(await machine.ask('tcp', machine.node, ipsOfA[1]!, 8080)).toMatch(/::1$/);
    });

    it('hides the addresses of pods from the outside', async () => {
      expect(await machine.ask('tcp', a.netns, '192.0.2.2', 8080)).toBe('192.0.2.1');
      expect(await machine.ask('udp', a.netns, '192.0.2.2', 8080)).toBe('192.0.2.1');
      expect(await machine.ask('tcp', a.netns, '2001:db8::2', 8080)).toBe('2001:db8::1');
    });

    it('keeps the addresses of pods inside of the cluster', async () => {
      await machine.sh(machine.remote, 'ip address add 10.77.2.5/32 dev lo; ip address add fd77:2::5/128 dev lo nodad');
      await machine.sh(
        machine.node,
        'ip route add 10.77.2.0/24 via 192.0.2.2; ip route add fd77:2::/64 via 2001:db8::2',
      );
      expect(await machine.ask('tcp', a.netns, '10.77.2.5', 8080)).toBe(ipsOfA[0]);
      expect(await machine.ask('tcp', a.netns, 'fd77:2::5', 8080)).toBe(ipsOfA[1]);
      // And from there to a pod.
      expect(await machine.ask('tcp', machine.remote, ipsOfA[0]!, 8080)).toBe('192.0.2.2');
      await machine.sh(machine.node, 'ip route delete 10.77.2.0/24; ip route delete fd77:2::/64');
    });

    it('lets others reach a pod by a port of the node', async () => {
      expect(await machine.ask('tcp', machine.remote, '192.0.2.1', 18080)).toBe('192.0.2.2');
      expect(await machine.ask('udp', machine.remote, '192.0.2.1', 18080)).toBe('192.0.2.2');
      expect(await machine.ask('tcp', machine.remote, '2001:db8::1', 18080)).toBe('2001:db8::2');
    });

    it('serves a port of one address of the node on that address only', async () => {
      expect(await machine.ask('tcp', machine.remote, '192.0.2.1', 18081)).toBe('192.0.2.2');
      expect(await machine.isUnreachable('tcp', machine.remote, '192.0.2.1', 18082)).toBe(true);
      expect(await machine.ask('tcp', machine.node, '127.0.0.1', 18082)).not.toBe('unreachable');
      expect(await machine.isUnreachable('tcp', machine.node, '127.0.0.1', 18081)).toBe(true);
    });

    it('serves the ports of the node for the node itself and for pods, also for the pod that has them', async () => {
      for (const protocol of ['tcp', 'udp'] as const) {
        expect(await machine.ask(protocol, machine.node, '127.0.0.1', 18080)).not.toBe('unreachable');
        expect(await machine.ask(protocol, machine.node, '192.0.2.1', 18080)).not.toBe('unreachable');
        expect(await machine.ask(protocol, a.netns, '192.0.2.1', 18080)).not.toBe('unreachable');
        expect(await machine.ask(protocol, b.netns, '192.0.2.1', 18080)).not.toBe('unreachable');
      }
    });

    it('connects pods after a restart, and finds the earlier ones', async () => {
      network = await start(machine);
      const c = testPod('c', await machine.pod('c'));
      const { ips } = await network.setUp(c);
      expect([...ipsOfA, ...ipsOfB]).not.toContain(ips[0]);
      expect(await machine.ask('tcp', c.netns, ipsOfB[0]!, 8080)).toBe(ips[0]);
      expect(await machine.ask('tcp', machine.remote, '192.0.2.1', 18080)).toBe('192.0.2.2');
      await network.tearDown(c);
      await network.tearDown(c);
      expect(await machine.isUnreachable('tcp', c.netns, ipsOfB[0]!, 8080)).toBe(true);
      await machine.namespaces.remove('c');
    });

    it('connects 20 pods at once, with different addresses, and disconnects them', async () => {
      const before = await machine.sh(machine.node, 'ip -oneline link | wc -l');
      const pods = await Promise.all(
        Array.from({ length: 20 }, async (_, i) =>
          testPod(`many${i}`, await machine.pod(`many${i}`), [
            { protocol: 'TCP', containerPort: 8080, hostPort: 20_000 + i, hostIP: '' },
          ]),
        ),
      );
      const all = await Promise.all(pods.map((pod) => network.setUp(pod)));
      expect(new Set(all.flatMap(({ ips }) => ips)).size).toBe(40);
      await Promise.all(
        pods.map(async (pod, i) => {
          expect(await machine.ask('tcp', pod.netns, ipsOfA[0]!, 8080)).toBe(all[i]!.ips[0]);
        }),
      );
      await Promise.all(pods.map((pod) => network.tearDown(pod)));
      expect(await machine.sh(machine.node, 'ip -oneline link | wc -l')).toBe(before);
      await Promise.all(pods.map(({ id }) => machine.namespaces.remove(id)));
    });

    it('disconnects a pod whose namespace is gone, and frees its port for another', async () => {
      const mapping: PortMapping = { protocol: 'UDP', containerPort: 8080, hostPort: 19_000, hostIP: '' };
      const d = testPod('d', await machine.pod('d'), [mapping]);
      await network.setUp(d);
      await machine.namespaces.remove('d');
      await network.tearDown(d);
      const e = testPod('e', await machine.pod('e'), [mapping]);
      await network.setUp(e);
      await machine.serve(e.netns, 8080);
      expect(await machine.ask('udp', machine.remote, '192.0.2.1', 19_000)).toBe('192.0.2.2');
      await network.tearDown(e);
      expect(await machine.isUnreachable('udp', machine.remote, '192.0.2.1', 19_000)).toBe(true);
    });

    it('collects what belongs to no sandbox', async () => {
      const before = await machine.sh(machine.node, 'ip -oneline link | wc -l');
      const f = testPod('f', await machine.pod('f'));
      await network.setUp(f);
      network = await start(machine);
      await network.collectGarbage(new Set(['a', 'b']));
      expect(await machine.sh(machine.node, 'ip -oneline link | wc -l')).toBe(before);
      expect(await machine.ask('tcp', a.netns, ipsOfB[0]!, 8080)).toBe(ipsOfA[0]);
    });

    it('leaves no record of a set-up that was aborted once it is torn down', async () => {
      const g = testPod('g', await machine.pod('g'));
      const abort = new AbortController();
      const setUp = network.setUp(g, abort.signal);
      abort.abort(new Error('enough'));
      await expect(setUp).rejects.toThrow('enough');
      await network.tearDown(g);
      const { ips } = await network.setUp(g);
      expect(await machine.ask('tcp', g.netns, ipsOfB[0]!, 8080)).toBe(ips[0]);
      await network.tearDown(g);
    });

    it('takes everything away, also what records do not tell any more', async () => {
      const h = testPod('h', await machine.pod('h'), [
        { protocol: 'TCP', containerPort: 8080, hostPort: 21_000, hostIP: '' },
      ]);
      await network.setUp(h);
      await machine.damageRecords();
      await removeEverything(await start(machine), machine);
      expect(await machine.traces()).toBe(untouched);
      await removeEverything(await start(machine), machine);
    });
  });
}
