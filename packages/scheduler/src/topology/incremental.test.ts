import type { Node, Pod } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Handle } from '../framework/handle.ts';
import { NodeInfo } from '../framework/node-info.ts';
import type { Plugin } from '../framework/plugin.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { interPodAffinity } from '../plugins/inter-pod-affinity/index.ts';
import { podTopologySpread } from '../plugins/pod-topology-spread/index.ts';
import { cycleAnswers, topologyHandle } from './recorded-case.test-data.ts';

const label = fc.constantFrom('a', 'b');
const zone = fc.constantFrom('z1', 'z2', 'z3', undefined);
const at = fc.nat(9);
const isOwnTerm = fc.boolean();

/** A change of the cluster between two scheduling cycles. */
const change = fc.oneof(
  fc.record({ type: fc.constant('add node' as const), zone }),
  fc.record({ type: fc.constant('remove node' as const), at }),
  fc.record({ type: fc.constant('move node' as const), at, zone }),
  fc.record({ type: fc.constant('swap nodes' as const), at, other: at }),
  fc.record({ type: fc.constant('add pod' as const), at, label, isOwnTerm }),
  fc.record({ type: fc.constant('add pod' as const), at, label, isOwnTerm }),
  fc.record({ type: fc.constant('remove pod' as const), at }),
  fc.record({ type: fc.constant('delete pod' as const), at }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const nodeOf = (name: string, zoneName: string | undefined): Node => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...(zoneName !== undefined && { zone: zoneName }) } },
});

const selector = (app: string) => ({ matchLabels: { app } });
const terms = (app: string) => [
  { labelSelector: selector(app), topologyKey: 'zone' },
  { labelSelector: selector('b'), topologyKey: 'kubernetes.io/hostname' },
];
const weighed = (app: string, weight: number) => terms(app).map((podAffinityTerm) => ({ weight, podAffinityTerm }));

function podOf(name: string, app: string, hasTerms: boolean): Pod {
  return {
    metadata: { name, uid: name, namespace: 'n1', labels: { app } },
    spec: {
      containers: [],
      ...(hasTerms && {
        affinity: {
          podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: weighed(app, 3) },
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: terms(app),
            preferredDuringSchedulingIgnoredDuringExecution: weighed('a', 5),
          },
        },
      }),
    },
  };
}

/** Nodes as in a snapshot: a changed node is replaced and gets a new, unique generation. */
class Cluster {
  readonly nodes: NodeInfo[] = [];
  #count = 0;

  apply(step: Change): void {
    const i = 'at' in step && this.nodes.length > 0 ? step.at % this.nodes.length : -1;
    const info = this.nodes[i];
    if (step.type === 'add node') this.#put(this.nodes.length, new NodeInfo(nodeOf(`node${++this.#count}`, step.zone)));
    else if (!info) return;
    else if (step.type === 'remove node') this.nodes.splice(i, 1);
    else if (step.type === 'swap nodes') {
      const j = step.other % this.nodes.length;
      [this.nodes[i], this.nodes[j]] = [this.nodes[j]!, info];
    } else if (step.type === 'move node') this.#changed(i, (copy) => copy.setNode(nodeOf(info.name, step.zone)));
    else if (step.type === 'add pod')
      this.#changed(i, (copy) => copy.addPod(new PodInfo(podOf(`p${++this.#count}`, step.label, step.isOwnTerm))));
    else if (info.pods[0]) {
      const { pod } = info.pods[0];
      this.#changed(i, (copy) => {
        copy.removePod(pod);
        if (step.type === 'remove pod') return;
        const deletionTimestamp = '2026-01-01T00:00:00Z';
        copy.addPod(new PodInfo({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } }));
      });
    }
  }

  #changed(i: number, by: (copy: NodeInfo) => void): void {
    const copy = this.nodes[i]!.clone();
    by(copy);
    this.#put(i, copy);
  }

  #put(i: number, info: NodeInfo): void {
    info.generation = ++this.#count;
    this.nodes[i] = info;
  }
}

const spreads = (['DoNotSchedule', 'ScheduleAnyway'] as const).flatMap((whenUnsatisfiable) =>
  ['zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable,
    labelSelector: selector('a'),
  })),
);

const spreading = podOf('incoming', 'a', false);
const incoming: readonly Pod[] = [
  { ...spreading, spec: { containers: [], topologySpreadConstraints: spreads.slice(0, 3) } },
  { ...spreading, spec: { containers: [], topologySpreadConstraints: spreads } },
  podOf('incoming', 'a', true),
  podOf('incoming', 'b', true),
  {
    ...spreading,
    spec: {
      containers: [],
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms('b') } },
    },
  },
];

describe('counts kept between cycles equal fresh counts', () => {
  it.each<[string, (handle: Handle) => Plugin]>([
    ['PodTopologySpread', (handle) => podTopologySpread.create(podTopologySpread.readArgs!(undefined), handle)],
    ['InterPodAffinity', (handle) => interPodAffinity.create(interPodAffinity.readArgs!(undefined), handle)],
  ])('of %s', (_, create) => {
    fc.assert(
      fc.property(fc.array(fc.record({ steps: fc.array(change, { maxLength: 5 }), pod: fc.nat(4) })), (cycles) => {
        const cluster = new Cluster();
        const handle = topologyHandle(cluster.nodes);
        const kept = create(handle);
        for (const { steps, pod } of cycles) {
          for (const step of steps) cluster.apply(step);
          const [first] = cluster.nodes;
          if (!first) continue;
          const question = {
            pod: incoming[pod]!,
            pods: first.pods.map((info) => info.pod),
            candidates: cluster.nodes.map(({ name }) => name),
            trial: {
              node: first.name,
              leaving: first.pods.slice(0, 1).map((info) => info.pod.metadata.name!),
              coming: [],
            },
          };
          const answers = cycleAnswers(kept, cluster.nodes, question);
          expect(answers).toEqual(cycleAnswers(create(handle), cluster.nodes, question));
        }
      }),
      { numRuns: 150 },
    );
  });
});
