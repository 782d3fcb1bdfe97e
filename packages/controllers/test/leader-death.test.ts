import type { Deployment } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isObjectEvent } from '@coxswain/apimachinery/watch';
import { datedBy } from '@coxswain/apimachinery/clock';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import {
  ClientSet,
  FakeClock,
  InProcessTransport,
  LeaderElector,
  LeaseLock,
  RESTClient,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@coxswain/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploymentController } from '../src/deployment/index.ts';
import { ControllerManager } from '../src/framework/manager/controller-manager.ts';
import { replicaSetController } from '../src/replicaset/index.ts';

/*
 * Two controller managers, one of which leads. The leader is killed at every step of a rollout in turn: after the server has
 * processed a write and before the leader receives the response.
 */

const clock = new FakeClock();
let server: RunningApiServer;
let clients: ClientSet;
beforeAll(async () => {
  server = await startApiServer(
    { memory: true, disableAdmissionPlugins: ['ServiceAccount'] },
    { clock: datedBy(clock) },
  );
  clients = new ClientSet(new RESTClient(transport()));
});
afterAll(() => server.stop());

const transport = () =>
  new InProcessTransport(server.transport({ username: 'admin', groups: ['system:masters'] }), { fair: false });

/** A transport that fails with the nth write and afterwards. */
class MortalTransport implements Transport {
  requests = 0;
  isDead = false;
  readonly #inner = transport();
  #writesLeft: number;

  constructor(writes: number) {
    this.#writesLeft = writes;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    this.requests++;
    if (this.isDead) throw new TransportError('killed');
    const response = await this.#inner.send(request);
    if (request.method !== 'GET' && !/\/(leases|events)(\/|\?|$)/.test(request.url) && --this.#writesLeft === 0) {
      this.isDead = true;
      await this.#inner.close();
      throw new TransportError('killed');
    }
    return response;
  }

  openWebSocket: Transport['openWebSocket'] = (request) => this.#inner.openWebSocket(request);
  close: Transport['close'] = () => this.#inner.close();
}

class Candidate {
  readonly transport: MortalTransport;
  isLeading = false;
  manager: ControllerManager | undefined;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(identity: string, lease: string, writes: number) {
    this.transport = new MortalTransport(writes);
    const rest = new RESTClient(this.transport);
    const elector = new LeaderElector({
      lock: new LeaseLock({ leases: new ClientSet(rest).coordination.v1.leases('kube-system'), name: lease, identity }),
      clock,
      releaseOnCancel: true,
      callbacks: {
        onStartedLeading: async (signal) => {
          this.isLeading = true;
          signal.addEventListener('abort', () => {
            this.isLeading = false;
          });
          const controllers = [deploymentController, replicaSetController];
          this.manager = new ControllerManager({ rest, controllers, clock, freezeCaches: true });
          await this.manager.run(signal);
        },
      },
    });
    this.#running = elector.run(this.#stop.signal).catch(() => {});
  }

  get leads(): boolean {
    return this.isLeading && !this.transport.isDead;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.transport.close();
  }
}

const web = (image: string): Deployment => ({
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
  },
});

/** Waits until no work is in progress, as far as can be observed. */
async function settle(candidates: readonly Candidate[]): Promise<void> {
  const requests = (): number => candidates.reduce((sum, { transport }) => sum + transport.requests, 0);
  for (let quiet = 0, before = requests(); quiet < 20; before = requests()) {
    await new Promise((resolve) => (quiet % 10 === 9 ? setTimeout(resolve, 3) : setImmediate(resolve)));
    const isIdle = candidates.every(({ leads, manager }) => !leads || manager?.activity.isIdle);
    quiet = isIdle && requests() === before ? quiet + 1 : 0;
  }
}

/** Acts as a kubelet: removes terminating pods and makes the others ready. */
async function actAsNode(namespace: string): Promise<void> {
  const pods = clients.core.v1.pods(namespace);
  for (const pod of (await pods.list()).items) {
    if (pod.metadata.deletionTimestamp) await pods.delete(pod.metadata.name!, { gracePeriodSeconds: 0 });
    else if (pod.status?.phase !== 'Running') {
      const ready = { type: 'Ready', status: 'True', lastTransitionTime: new Date(clock.now()).toISOString() };
      const status: Pod['status'] = { ...pod.status, phase: 'Running', conditions: [ready] };
      await pods.updateStatus({ ...pod, status });
    }
  }
}

/** Waits until the rollout is complete. Returns the maximum number of leaders at the same time. */
async function untilComplete(namespace: string, image: string, candidates: readonly Candidate[]): Promise<number> {
  let most = 0;
  for (let round = 0; round < 200; round++) {
    await settle(candidates);
    await actAsNode(namespace);
    await settle(candidates);
    most = Math.max(most, candidates.filter(({ leads }) => leads).length);
    const { metadata, spec, status } = await clients.apps.v1.deployments(namespace).get('web');
    const isComplete =
      status?.observedGeneration === metadata.generation &&
      spec?.template.spec?.containers[0]?.image === image &&
      status?.updatedReplicas === 3 &&
      status.replicas === 3 &&
      status.availableReplicas === 3;
    if (isComplete) return most;
    await clock.advance(1000);
  }
  throw new Error(
    `the rollout does not complete: ${JSON.stringify(await clients.apps.v1.deployments(namespace).get('web'))}`,
  );
}

/** Rolls out two versions under a leader that dies with its nth write. Returns whether it died. */
async function rollOut(writes: number): Promise<boolean> {
  const namespace = `step-${writes}`;
  await clients.core.v1.namespaces().create({ metadata: { name: namespace } });
  const { resourceVersion } = (await clients.core.v1.pods(namespace).list()).metadata!;
  const candidates = [new Candidate('first', namespace, writes)];
  await settle(candidates);
  candidates.push(new Candidate('second', namespace, Number.POSITIVE_INFINITY));
  const deployments = clients.apps.v1.deployments(namespace);
  await deployments.create(web('v1'));
  const first = await untilComplete(namespace, 'v1', candidates);
  await deployments.patch('web', 'strategic-merge', { spec: { template: web('v2').spec!.template } });
  const second = await untilComplete(namespace, 'v2', candidates);

  expect(Math.max(first, second)).toBe(1);
  const sets = (await clients.apps.v1.replicaSets(namespace).list()).items;
  expect(sets.map(({ spec }) => spec?.replicas).sort()).toEqual([0, 3]);
  expect((await clients.core.v1.pods(namespace).list()).items.length).toBe(3);
  // Collect all pods that ever existed in the namespace.
  const created = new Set<string>();
  await clients.core.v1.pods(namespace).create({
    metadata: { name: 'last' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  for await (const event of await clients.core.v1.pods(namespace).watch({ resourceVersion })) {
    if (!isObjectEvent(event) || event.type !== 'ADDED') continue;
    if (event.object.metadata.name === 'last') break;
    created.add(event.object.metadata.uid!);
  }
  expect(created.size).toBe(6);
  for (const candidate of candidates) await candidate.stop();
  return candidates[0]!.transport.isDead;
}

it('a leader that is killed at any step is replaced by one other, and no pod is created twice', async () => {
  let deaths = 0;
  while (await rollOut(deaths + 1)) deaths++;
  expect(deaths).toBeGreaterThan(15);
}, 240_000);
