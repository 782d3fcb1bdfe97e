import type { Node, Pod } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeInfo } from '../framework/node-info.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { SchedulerCache } from './scheduler-cache.ts';

const node = (name: string, zone = '', images: string[] = []): Node => ({
  metadata: { name, labels: zone ? { 'topology.kubernetes.io/zone': zone } : {} },
  status: { allocatable: { cpu: '4' }, images: images.map((image) => ({ names: [image], sizeBytes: 100 })) },
});

const pod = (name: string, nodeName?: string, cpu = '100m'): Pod => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: {
    containers: [{ name: 'c', image: 'c', resources: { requests: { cpu } } }],
    ...(nodeName && { nodeName }),
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName: `claim-of-${name}` } }],
  },
});

const withAntiAffinity = (of: Pod): Pod => ({
  ...of,
  spec: {
    containers: [],
    ...of.spec,
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }] },
    },
  },
});

const contents = (nodes: readonly NodeInfo[]): Record<string, string[]> =>
  Object.fromEntries(nodes.map(({ name, pods }) => [name, pods.map((info) => info.key).sort()]));

describe('the snapshot', () => {
  it('lists one node of each zone in turn', () => {
    const cache = new SchedulerCache();
    for (const [name, zone] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['a3', 'a'],
      ['b1', 'b'],
      ['c1', 'c'],
      ['c2', 'c'],
    ] as const) {
      cache.addNode(node(name, zone));
    }
    expect(cache.updateSnapshot().nodes.map(({ name }) => name)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    cache.updateNode(node('a1', 'a'), node('a1', 'b'));
    expect(cache.updateSnapshot().nodes.map(({ name }) => name)).toEqual(['a2', 'b1', 'c1', 'a3', 'a1', 'c2']);
  });

  it('does not change until it is updated, and then copies only what changed', () => {
    const cache = new SchedulerCache();
    cache.addNode(node('a'));
    cache.addNode(node('b'));
    const snapshot = cache.updateSnapshot();
    const [a, b] = snapshot.nodes;
    cache.addPod(pod('web', 'a'));
    expect(contents(snapshot.nodes)).toEqual({ a: [], b: [] });
    expect(cache.updateSnapshot()).toBe(snapshot);
    expect(contents(snapshot.nodes)).toEqual({ a: ['default/web'], b: [] });
    expect(snapshot.nodes[0]).not.toBe(a);
    expect(snapshot.nodes[1]).toBe(b);
  });

  it('knows which nodes have pods with affinity, and which claims are used', () => {
    const cache = new SchedulerCache();
    cache.addNode(node('a'));
    cache.addNode(node('b'));
    const snapshot = cache.updateSnapshot();
    expect([snapshot.nodesWithAffinity, snapshot.nodesWithRequiredAntiAffinity]).toEqual([[], []]);
    const shy = withAntiAffinity(pod('shy', 'b'));
    cache.addPod(shy);
    cache.updateSnapshot();
    expect(snapshot.nodesWithAffinity.map(({ name }) => name)).toEqual(['b']);
    expect(snapshot.nodesWithRequiredAntiAffinity.map(({ name }) => name)).toEqual(['b']);
    expect(snapshot.isClaimUsed('default/claim-of-shy')).toBe(true);
    cache.removePod(shy);
    cache.updateSnapshot();
    expect(snapshot.nodesWithAffinity).toEqual([]);
    expect(snapshot.isClaimUsed('default/claim-of-shy')).toBe(false);
  });

  it('counts the nodes that have an image', () => {
    const cache = new SchedulerCache();
    cache.addNode(node('a', '', ['x', 'y']));
    cache.addNode(node('b', '', ['x']));
    const snapshot = cache.updateSnapshot();
    expect(snapshot.get('a')?.imageStates.get('x')).toEqual({ size: 100, nodes: 2 });
    cache.removeNode(node('b'));
    cache.updateSnapshot();
    expect(snapshot.get('a')?.imageStates.get('x')).toEqual({ size: 100, nodes: 1 });
    expect(snapshot.get('b')).toBeUndefined();
  });
});

describe('a pod', () => {
  it('is counted on its assumed node until it is confirmed or forgotten', () => {
    const cache = new SchedulerCache();
    cache.addNode(node('a'));
    cache.assumePod(new PodInfo(pod('web', 'a', '1')), 'a');
    expect(cache.isAssumed(pod('web'))).toBe(true);
    expect(cache.updateSnapshot().get('a')?.requested.milliCPU).toBe(1000);
    cache.addPod(pod('web', 'a', '1'));
    expect(cache.isAssumed(pod('web'))).toBe(false);
    cache.forgetPod(pod('web'));
    expect(cache.updateSnapshot().get('a')?.requested.milliCPU).toBe(1000);
    cache.assumePod(new PodInfo(pod('other', 'a', '1')), 'a');
    cache.forgetPod(pod('other'));
    expect(cache.updateSnapshot().get('a')?.requested.milliCPU).toBe(1000);
  });

  it('is moved from its assumed node to the one an informer reports', () => {
    const cache = new SchedulerCache();
    cache.addNode(node('a'));
    cache.addNode(node('b'));
    cache.assumePod(new PodInfo(pod('web', 'a')), 'a');
    cache.addPod(pod('web', 'b'));
    expect(contents(cache.updateSnapshot().nodes)).toEqual({ a: [], b: ['default/web'] });
  });

  it('whose status changes is replaced in all lists, with the same requests', () => {
    const cache = new SchedulerCache();
    cache.addNode(node('a'));
    const before = withAntiAffinity(pod('shy', 'a', '1'));
    cache.addPod(before);
    cache.addPod(pod('web', 'a', '2'));
    const after: Pod = { ...before, status: { phase: 'Running' } };
    cache.updatePod(before, after);
    const info = cache.updateSnapshot().get('a')!;
    const listed = [info.pods, info.podsWithAffinity, info.podsWithRequiredAntiAffinity];
    for (const list of listed)
      expect(list.filter(({ key }) => key === 'default/shy').map((each) => each.pod)).toEqual([after]);
    expect(info.requested.milliCPU).toBe(3000);
    cache.removePod(after);
    const left = cache.updateSnapshot().get('a')!;
    expect([left.pods.length, left.podsWithAffinity.length, left.requested.milliCPU]).toEqual([1, 0, 2000]);
  });

  it('cannot be assumed twice', () => {
    const cache = new SchedulerCache();
    cache.assumePod(new PodInfo(pod('web', 'a')), 'a');
    expect(() => cache.assumePod(new PodInfo(pod('web', 'b')), 'b')).toThrow(
      "pod uid-web(default/web) is in the cache, so can't be assumed",
    );
  });

  it('of an unknown node is counted when the node is added, and kept when it is removed', () => {
    const cache = new SchedulerCache();
    cache.addPod(pod('web', 'a'));
    expect(cache.updateSnapshot().nodes).toEqual([]);
    cache.addNode(node('a'));
    expect(contents(cache.updateSnapshot().nodes)).toEqual({ a: ['default/web'] });
    cache.removeNode(node('a'));
    expect(cache.updateSnapshot().nodes).toEqual([]);
    expect(cache.size).toEqual({ nodes: 1, pods: 1, assumedPods: 0 });
    cache.removePod(pod('web', 'a'));
    expect(cache.size).toEqual({ nodes: 0, pods: 0, assumedPods: 0 });
  });
});

/** After any sequence of changes, the incremental snapshot equals one built from scratch. */
it('an incremental snapshot is the same as a fresh one', () => {
  const names = fc.constantFrom('a', 'b', 'c');
  const pods = fc.constantFrom('p', 'q', 'r', 's');
  const step = fc.oneof(
    fc.record({ do: fc.constant('addNode' as const), node: names, zone: fc.constantFrom('x', 'y') }),
    fc.record({ do: fc.constant('removeNode' as const), node: names }),
    fc.record({ do: fc.constant('addPod' as const), pod: pods, node: names, isShy: fc.boolean() }),
    fc.record({ do: fc.constant('assumePod' as const), pod: pods, node: names }),
    fc.record({ do: fc.constant('updateStatus' as const), pod: pods, phase: fc.constantFrom('Pending', 'Running') }),
    fc.record({ do: fc.constant('removePod' as const), pod: pods }),
    fc.record({ do: fc.constant('forgetPod' as const), pod: pods }),
    fc.record({ do: fc.constant('snapshot' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      const cache = new SchedulerCache();
      const nodes = new Map<string, Node>();
      const placed = new Map<string, { pod: Pod; isAssumed: boolean }>();
      for (const each of steps) {
        if (each.do === 'addNode') {
          nodes.set(each.node, node(each.node, each.zone));
          cache.addNode(node(each.node, each.zone));
        } else if (each.do === 'removeNode') {
          nodes.delete(each.node);
          cache.removeNode(node(each.node));
        } else if (each.do === 'addPod') {
          const plain = pod(each.pod, each.node);
          const added = each.isShy ? withAntiAffinity(plain) : plain;
          placed.set(each.pod, { pod: added, isAssumed: false });
          cache.addPod(added);
        } else if (each.do === 'assumePod' && !placed.has(each.pod)) {
          const assumed = pod(each.pod, each.node);
          placed.set(each.pod, { pod: assumed, isAssumed: true });
          cache.assumePod(new PodInfo(assumed), each.node);
        } else if (each.do === 'updateStatus' && placed.has(each.pod)) {
          const old = placed.get(each.pod)!.pod;
          const next = { ...old, status: { phase: each.phase } };
          placed.set(each.pod, { pod: next, isAssumed: false });
          cache.updatePod(old, next);
        } else if (each.do === 'removePod') {
          placed.delete(each.pod);
          cache.removePod(pod(each.pod));
        } else if (each.do === 'forgetPod') {
          if (placed.get(each.pod)?.isAssumed) placed.delete(each.pod);
          cache.forgetPod(pod(each.pod));
        } else if (each.do === 'snapshot') {
          cache.updateSnapshot();
        }
      }
      const snapshot = cache.updateSnapshot();
      const fresh = new SchedulerCache();
      for (const { name } of snapshot.nodes) fresh.addNode(nodes.get(name)!);
      for (const { pod: each } of placed.values()) fresh.addPod(each);
      const expected = fresh.updateSnapshot();
      expect([...nodes.keys()].sort()).toEqual(snapshot.nodes.map(({ name }) => name).sort());
      expect(contents(snapshot.nodes)).toEqual(contents(expected.nodes));
      const known = new Set(Array.from(placed.values(), ({ pod: each }) => each));
      for (const { pods, podsWithAffinity, podsWithRequiredAntiAffinity } of snapshot.nodes) {
        for (const info of [...pods, ...podsWithAffinity, ...podsWithRequiredAntiAffinity]) {
          expect(known.has(info.pod)).toBe(true);
        }
      }
      for (const { name, requested } of expected.nodes) expect(snapshot.get(name)?.requested).toEqual(requested);
      expect(contents(snapshot.nodesWithAffinity)).toEqual(contents(expected.nodesWithAffinity));
      for (const name of ['p', 'q', 'r', 's']) {
        const claim = `default/claim-of-${name}`;
        expect(snapshot.isClaimUsed(claim)).toBe(expected.isClaimUsed(claim));
      }
      for (const info of [...snapshot.nodesWithAffinity, ...snapshot.nodesWithRequiredAntiAffinity]) {
        expect(snapshot.get(info.name)).toBe(info);
      }
    }),
  );
});
