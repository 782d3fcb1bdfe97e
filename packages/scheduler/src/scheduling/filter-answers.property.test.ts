import type { Node, Pod } from '@coxswain/api/core/v1';
import { ClientSet, FakeClock, noMetrics, RESTClient, SharedInformerFactory, silentLogger } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SchedulerCache } from '../cache/scheduler-cache.ts';
import { completeConfiguration } from '../config/complete-configuration.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { FitError } from '../framework/fit-error.ts';
import type { PluginDefinition } from '../framework/handle.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { PodsInPreBind } from '../framework/pods-in-pre-bind.ts';
import { Framework } from '../framework/runtime.ts';
import { SharedParts } from '../framework/shared-parts.ts';
import { Status } from '../framework/status.ts';
import { HeldPods } from '../framework/waiting-pod.ts';
import { inTreePlugins } from '../plugins/index.ts';
import { PodNominator } from '../queue/pod-nominator.ts';
import { NodeFinder } from './node-finder.ts';
import { selectHost } from './select-host.ts';

/** A filter that accepts every node but has no signature: with it no filter results are cached. */
const forgetful: PluginDefinition = {
  name: 'Forgetful',
  create: () => ({ name: 'Forgetful', filter: () => undefined }),
};

/** The parts of a scheduler that select a node and preempt pods. */
class World {
  /** How often filters were called for a node. */
  asked = 0;
  readonly #writes: string[] = [];
  readonly #clients: ClientSet;
  readonly #informers: SharedInformerFactory;
  readonly #cache = new SchedulerCache();
  readonly #nominator = new PodNominator(
    () => true,
    (nodeName) => this.#cache.nominationsChanged(nodeName),
  );
  readonly #finder = new NodeFinder({ extenders: [], percentageOfNodesToScore: 0 });
  readonly #framework: Framework;
  #seed = 1;

  constructor(isForgetful: boolean) {
    const fake = new FakeTransport();
    fake.prependReactor('*', '*', ({ verb, ...action }) => {
      this.#writes.push(`${verb} ${'name' in action ? action.name : ''}`);
      return { metadata: {} };
    });
    this.#clients = new ClientSet(new RESTClient(fake));
    this.#informers = new SharedInformerFactory(this.#clients);
    // The first filter, so that it is called as often as any.
    const counting: PluginDefinition = {
      name: 'Counting',
      create: () => ({
        name: 'Counting',
        filter: () => {
          this.asked++;
          return undefined;
        },
        signPod: () => '',
      }),
    };
    const added = isForgetful ? [counting, forgetful] : [counting];
    const multiPoint = { enabled: added.map(({ name }) => ({ name })) };
    const filter = { enabled: [{ name: counting.name }] };
    const [profile] = completeConfiguration({ profiles: [{ plugins: { multiPoint, filter } }] }).profiles;
    const definitions = new Map([...inTreePlugins, ...added].map((each) => [each.name, each]));
    const random = (): number => {
      this.#seed = (this.#seed * 48_271) % 2_147_483_647;
      return this.#seed / 2_147_483_647;
    };
    this.#framework = new Framework(profile!, definitions, {
      clients: this.#clients,
      informers: this.#informers,
      recorder: { event: (_, { reason, note }) => this.#writes.push(`${reason}: ${note}`) },
      clock: new FakeClock(),
      random,
      logger: silentLogger,
      metrics: noMetrics,
      nominator: this.#nominator,
      waitingPods: new HeldPods(),
      podsInPreBind: new PodsInPreBind(),
      shared: new SharedParts(),
      extenders: [],
      snapshot: () => this.#cache.snapshot,
      activate() {},
      write: (task) => task(),
    });
  }

  /** Schedules a pod. Returns its node, or the reasons and the nomination: everything that is visible from outside. */
  async schedule(pod: Pod): Promise<object> {
    const { signal } = new AbortController();
    this.#informers.core.v1.pods.informer.indexer.add(pod);
    const info = new PodInfo(pod);
    const framework = this.#framework;
    const attempt = { framework, state: new CycleState(), pod: info, snapshot: this.#cache.updateSnapshot(), signal };
    if (attempt.snapshot.nodes.length === 0) return {};
    const found = await this.#finder.find(attempt);
    if (found instanceof Status) return { failed: found.message };
    if (found instanceof FitError) {
      const { result, status } = await framework.runPostFilter(attempt.state, info, found.statuses, signal);
      found.postFilterMessage = status?.message ?? '';
      const { message, rejectors } = found;
      this.#nominator.addNominatedPod(info, result?.nominatedNodeName);
      return { message, rejectors, nominated: result?.nominatedNodeName };
    }
    const node = await selectHost(attempt, found.nodes, framework.random);
    if (node instanceof Status) return { failed: node.message };
    this.#nominator.deleteNominatedPod(pod);
    this.#cache.assumePod(new PodInfo(placed(pod, node.name)), node.name);
    return { nodeName: node.name, of: found.nodes.map(({ name }) => name) };
  }

  setNode(node: Node): void {
    this.#cache.addNode(node);
  }

  removeNode(node: Node): void {
    this.#cache.removeNode(node);
  }

  removePod(pod: Pod): void {
    this.#cache.removePod(pod);
    this.#nominator.deleteNominatedPod(pod);
    this.#informers.core.v1.pods.informer.indexer.delete(pod);
  }

  protect(app: string, disruptionsAllowed: number): void {
    this.#informers.policy.v1.podDisruptionBudgets.informer.indexer.add({
      metadata: { name: app, namespace: 'x' },
      spec: { selector: { matchLabels: { app } } },
      status: { disruptionsAllowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    });
  }

  /** The writes and events since the last call. */
  async writes(): Promise<string[]> {
    for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
    return this.#writes.splice(0);
  }
}

const placed = (pod: Pod, nodeName: string): Pod => ({ ...pod, spec: { containers: [], ...pod.spec, nodeName } });

interface Kind {
  readonly app: string;
  readonly priority: number;
  readonly cpu: string;
  readonly spec?: Partial<Pod['spec']>;
}

const tolerant = { tolerations: [{ key: 'k', operator: 'Exists' as const }] };
const away = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'big' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
};
/** Some kinds differ from another in a single property. */
const kinds: readonly Kind[] = [
  { app: 'small', priority: 0, cpu: '500m' },
  { app: 'small', priority: 5, cpu: '500m' },
  { app: 'small', priority: 5, cpu: '500m', spec: tolerant },
  { app: 'big', priority: 5, cpu: '1500m' },
  { app: 'big', priority: 10, cpu: '1500m', spec: { nodeSelector: { zone: 'z0' } } },
  { app: 'top', priority: 1, cpu: '1' },
  { app: 'top', priority: 20, cpu: '1' },
  { app: 'port', priority: 10, cpu: '100m', spec: { hostNetwork: true } },
  { app: 'huge', priority: 30, cpu: '9' },
  { app: 'loner', priority: 7, cpu: '200m', spec: away },
];

function podOf(number: number, { app, priority, cpu, spec }: Kind): Pod {
  const ports = app === 'port' ? { ports: [{ containerPort: 80, hostPort: 80 }] } : {};
  return {
    metadata: { name: `p${number}`, namespace: 'x', uid: `uid-${number}`, labels: { app } },
    spec: {
      schedulerName: 'default-scheduler',
      containers: [{ name: 'c', image: 'c', resources: { requests: { cpu } }, ...ports }],
      priority,
      ...spec,
    },
  };
}

const nodeOf = (number: number, cpus: number, isTainted: boolean, unschedulable: boolean): Node => ({
  metadata: { name: `n${number}`, labels: { 'kubernetes.io/hostname': `n${number}`, zone: `z${number % 2}` } },
  spec: { unschedulable, ...(isTainted && { taints: [{ key: 'k', effect: 'NoSchedule' }] }) },
  status: { allocatable: { cpu: String(cpus), memory: '8Gi', pods: '5' } },
});

type Step = (worlds: readonly World[], pods: Pod[]) => Promise<unknown[]>;

const both = async (worlds: readonly World[], act: (world: World) => unknown): Promise<unknown[]> => {
  const results: unknown[] = [];
  for (const world of worlds) results.push([await act(world), await world.writes()]);
  return results;
};

/** Often one of the latest pods, which are more likely to be waiting or to compete with others. */
const at = (pods: readonly Pod[], index: number): Pod | undefined => pods[pods.length - 1 - (index % pods.length)];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.nat(kinds.length - 1).map(
      (kind): Step =>
        async (worlds, pods) => {
          const pod = podOf(pods.length, kinds[kind]!);
          pods.push(pod);
          return both(worlds, (world) => world.schedule(pod));
        },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.nat(30).map(
      (index): Step =>
        async (worlds, pods) => {
          const pod = at(pods, index);
          if (!pod) return [];
          return both(worlds, async (world) => {
            try {
              return await world.schedule(pod);
            } catch (error) {
              // The pod is on a node already.
              return String(error);
            }
          });
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.nat(30).map(
      (index): Step =>
        async (worlds, pods) => {
          const pod = at(pods, index);
          return pod ? both(worlds, (world) => world.removePod(pod)) : [];
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(5), fc.integer({ min: 1, max: 3 }), fc.boolean(), fc.boolean())
      .map(([number, cpus, isTainted, isCordoned]): Step => {
        const node = nodeOf(number, cpus, isTainted, isCordoned && isTainted);
        return (worlds) => both(worlds, (world) => world.setNode(node));
      }),
  },
  {
    weight: 1,
    arbitrary: fc.nat(5).map(
      (number): Step =>
        (worlds) =>
          both(worlds, (world) => world.removeNode(nodeOf(number, 1, false, false))),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('small', 'big'), fc.nat(1)).map(
      ([app, allowed]): Step =>
        (worlds) =>
          both(worlds, (world) => world.protect(app, allowed)),
    ),
  },
);

it('cached filter results change no scheduling decision, but reduce the calls of filters', async () => {
  const asked = [0, 0];
  let preempted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const worlds = [new World(false), new World(true)];
      const pods: Pod[] = [];
      for (const number of [0, 1, 2]) for (const world of worlds) world.setNode(nodeOf(number, 2, false, false));
      for (const each of steps) {
        const [remembering, forgetting] = await each(worlds, pods);
        expect(remembering).toEqual(forgetting);
        if (JSON.stringify(remembering ?? '').includes('Preempted')) preempted++;
      }
      for (const [i, world] of worlds.entries()) asked[i]! += world.asked;
    }),
    { numRuns: 150 },
  );
  expect(asked[0]! * 1.1).toBeLessThan(asked[1]!);
  expect(preempted).toBeGreaterThan(50);
}, 60_000);
