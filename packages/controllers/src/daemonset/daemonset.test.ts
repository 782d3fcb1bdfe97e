import type { ControllerRevision, DaemonSet, DaemonSetSpec, DaemonSetStatus } from '@coxswain/api/apps/v1';
import type { Pod, Taint } from '@coxswain/api/core/v1';
import { isNotFound, newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { revisionData } from '../framework/history/controller-revision.ts';
import { Pods } from '../replicaset/pods.test-data.ts';
import { targetNode } from './daemon-pod.ts';
import { daemonSetController } from './index.ts';

let cluster: TestCluster;
let pods: Pods;
async function startCluster(): Promise<void> {
  cluster = await TestCluster.start({ controllers: [daemonSetController] });
  pods = new Pods(cluster);
}
beforeEach(startCluster);
afterEach(() => cluster.stop());

const sets = () => cluster.clients.apps.v1.daemonSets('default');
const nodes = () => cluster.clients.core.v1.nodes();
const podClient = () => cluster.clients.core.v1.pods('default');
const revisionClient = () => cluster.clients.apps.v1.controllerRevisions('default');

const labels = { app: 'agent' };
const templateOf = (image: string) => ({ metadata: { labels }, spec: { containers: [{ name: 'c', image }] } });
const template = templateOf('c:1');

/** Creates nodes that are ready for pods except for these taints. */
async function addNodes(names: readonly string[], taints: Taint[] = [], nodeLabels = {}): Promise<void> {
  for (const name of names) {
    await nodes().create({ metadata: { name, labels: nodeLabels } });
    // A new node has a not-ready taint, which this patch replaces.
    await nodes().patch(name, 'merge', { spec: { taints } });
  }
  await cluster.settle();
}

const taint = async (name: string, ...taints: Taint[]): Promise<void> => {
  await nodes().patch(name, 'merge', { spec: { taints } });
  await cluster.settle();
};

/** Creates the DaemonSet `agent`. */
async function create(spec: Partial<DaemonSetSpec> = {}): Promise<DaemonSet> {
  const created = await sets().create({
    metadata: { name: 'agent' },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  });
  await cluster.settle();
  return created;
}

async function patch(spec: Partial<DaemonSetSpec>): Promise<void> {
  await sets().patch('agent', 'merge', { spec });
  await cluster.settle();
}

const status = async (): Promise<DaemonSetStatus | undefined> => (await sets().get('agent')).status;
const nameOf = ({ metadata }: Pod | ControllerRevision): string => metadata.name!;
/** Lists the pods as `n1 c:1`, with a suffix for their state. */
const placed = async (): Promise<string[]> =>
  (await pods.list())
    .map((pod) => {
      const image = pod.spec!.containers[0]!.image;
      return `${targetNode(pod)} ${image}${pod.metadata.deletionTimestamp ? ' going' : ''}`;
    })
    .sort();
const on = async (node: string): Promise<Pod[]> => (await pods.staying()).filter((pod) => targetNode(pod) === node);
const revisions = async (): Promise<ControllerRevision[]> =>
  (await revisionClient().list()).items.sort((a, b) => a.revision - b.revision);
const written = (method: string, path: RegExp): number =>
  cluster.spy.writes.filter((seen) => seen.method === method && path.test(seen.url)).length;
const told = async (word: string): Promise<string[]> =>
  (await cluster.events()).filter((event) => event.includes(word));

/** Binds these pods and makes them run. Pods that are deleted meanwhile are skipped. */
async function run(which: readonly Pod[], isReady = true): Promise<void> {
  for (const pod of which) {
    try {
      if (!pod.spec?.nodeName) await pods.bind([pod], targetNode(pod)!);
      await pods.run([pod], isReady);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Runs all pending pods and removes terminating ones, until nothing changes any more. */
async function runAll(): Promise<void> {
  for (;;) {
    const all = await pods.list();
    const waiting = all.filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Pending');
    if (waiting.length === 0 && !all.some(({ metadata }) => metadata.deletionTimestamp)) return;
    await run(waiting);
    await pods.reap();
  }
}

async function expectIdle(): Promise<void> {
  const before = cluster.spy.writes.length;
  await cluster.advance(3_600_000, 600_000);
  expect(cluster.spy.writes.slice(before)).toEqual([]);
}

describe('a DaemonSet', () => {
  it('creates a pod for every node', async () => {
    await addNodes(['n1', 'n2']);
    const { metadata } = await create();
    expect(await placed()).toEqual(['n1 c:1', 'n2 c:1']);
    const [revision] = await revisions();
    const hash = revision!.metadata.labels!['controller-revision-hash']!;
    const ownerReferences = [
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        name: 'agent',
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ];
    expect(revision).toMatchObject({
      metadata: { name: `agent-${hash}`, labels: { app: 'agent' }, ownerReferences },
      revision: 1,
    });
    const [pod] = await on('n1');
    expect(pod!.metadata).toMatchObject({ generateName: 'agent-', ownerReferences });
    expect(pod!.metadata.labels).toEqual({
      app: 'agent',
      'controller-revision-hash': hash,
      'pod-template-generation': '1',
    });
    expect(pod!.spec).toMatchObject({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
          },
        },
      },
      tolerations: [
        ...['not-ready', 'unreachable'].map((key) => ({ key, effect: 'NoExecute' })),
        ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => ({
          key,
          effect: 'NoSchedule',
        })),
      ].map(({ key, effect }) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect })),
    });
    expect(await status()).toEqual({
      currentNumberScheduled: 2,
      desiredNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 0,
      numberUnavailable: 2,
      observedGeneration: 1,
      updatedNumberScheduled: 2,
    });
    await runAll();
    expect(await status()).toEqual({
      currentNumberScheduled: 2,
      desiredNumberScheduled: 2,
      numberAvailable: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      observedGeneration: 1,
      updatedNumberScheduled: 2,
    });
    expect((await cluster.events()).sort()).toEqual(
      (await pods.list()).map((one) => `Normal SuccessfulCreate DaemonSet/agent: Created pod: ${nameOf(one)}`),
    );
    expect(cluster.log).toEqual([]);
    await expectIdle();
  });

  it('reacts to nodes that are added, changed and deleted', async () => {
    await create({
      template: { ...template, spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } },
    });
    expect(await status()).toMatchObject({ desiredNumberScheduled: 0 });
    await addNodes(['n1', 'n2'], [], { disk: 'ssd' });
    await addNodes(['n3'], [], { disk: 'hdd' });
    expect(await placed()).toEqual(['n1 c:1', 'n2 c:1']);
    await runAll();
    await nodes().patch('n3', 'merge', { metadata: { labels: { disk: 'ssd' } } });
    await nodes().patch('n1', 'merge', { metadata: { labels: { disk: 'hdd' } } });
    await cluster.settle();
    await runAll();
    expect(await placed()).toEqual(['n2 c:1', 'n3 c:1']);
    await nodes().delete('n2');
    await cluster.settle();
    expect(await status()).toMatchObject({ desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1 });
    await expectIdle();
  });

  it('deletes pending pods of a deleted node', async () => {
    await addNodes(['n1', 'n2']);
    await create();
    await nodes().delete('n2');
    await cluster.settle();
    expect(await placed()).toEqual(['n1 c:1']);
    await expectIdle();
  });

  it('respects NoSchedule and NoExecute taints', async () => {
    const dedicated = { key: 'dedicated', value: 'x' };
    await addNodes(['plain']);
    await addNodes(['cordoned'], [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }]);
    await addNodes(['dedicated'], [{ ...dedicated, effect: 'NoSchedule' }]);
    await addNodes(['draining'], [{ ...dedicated, effect: 'NoExecute' }]);
    await create();
    await runAll();
    expect(await placed()).toEqual(['cordoned c:1', 'plain c:1']);
    await taint('plain', { ...dedicated, effect: 'NoSchedule' });
    expect(await placed()).toEqual(['cordoned c:1', 'plain c:1']);
    expect(await status()).toMatchObject({
      desiredNumberScheduled: 1,
      currentNumberScheduled: 1,
      numberMisscheduled: 1,
      numberReady: 1,
    });
    await taint('plain', { ...dedicated, effect: 'NoExecute' });
    await runAll();
    expect(await placed()).toEqual(['cordoned c:1']);
    await patch({
      template: { ...template, spec: { ...template.spec, tolerations: [{ key: 'dedicated', operator: 'Exists' }] } },
    });
    await runAll();
    expect(await placed()).toEqual(['cordoned c:1', 'dedicated c:1', 'draining c:1', 'plain c:1']);
    expect(await status()).toMatchObject({ desiredNumberScheduled: 4, numberMisscheduled: 0, numberAvailable: 4 });
    await expectIdle();
  });

  it('counts pods as available once they have been ready for long enough', async () => {
    await addNodes(['n1']);
    await create({ minReadySeconds: 10 });
    await runAll();
    expect(await status()).toMatchObject({ numberReady: 1, numberUnavailable: 1 });
    await cluster.advance(10_000);
    expect(await status()).toMatchObject({ numberReady: 1, numberAvailable: 1 });
    await expectIdle();
  });

  it('replaces failed pods with increasing delays', async () => {
    await addNodes(['n1']);
    await create();
    const failures: number[] = [];
    const began = cluster.clock.now();
    while (failures.length < 4) {
      const [pod] = await on('n1');
      await podClient().patch(nameOf(pod!), 'merge', { status: { phase: 'Failed' } }, { subresource: 'status' });
      await cluster.settle();
      while ((await on('n1'))[0]?.metadata.name === nameOf(pod!)) await cluster.advance(1000);
      failures.push((cluster.clock.now() - began) / 1000);
      expect((await told('FailedDaemonPod')).at(-1)).toBe(
        `Warning FailedDaemonPod DaemonSet/agent: Found failed daemon pod default/${nameOf(pod!)} on node n1, will try to kill it`,
      );
    }
    const waits = failures.slice(1).map((at, i) => at - failures[i]!);
    for (const [i, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(2 ** i);
  });

  it('replaces succeeded pods at once', async () => {
    await addNodes(['n1']);
    await create();
    const [pod] = await on('n1');
    await podClient().patch(nameOf(pod!), 'merge', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
    await cluster.settle();
    expect(await told('Succeeded')).toEqual([
      `Normal SucceededDaemonPod DaemonSet/agent: Found succeeded daemon pod default/${nameOf(pod!)} on node n1, will try to delete it`,
    ]);
    expect(await told('SuccessfulDelete')).toEqual([
      `Normal SuccessfulDelete DaemonSet/agent: Deleted pod: ${nameOf(pod!)}`,
    ]);
    expect(await placed()).toEqual(['n1 c:1']);
    await runAll();
    await expectIdle();
  });

  it('adopts a matching pod on a node, and deletes a second one', async () => {
    await addNodes(['n1']);
    const orphan = (name: string): Pod => ({
      metadata: { name, labels },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'c:0' }] },
    });
    await podClient().create(orphan('first'));
    await cluster.settle();
    const { metadata } = await create({ updateStrategy: { type: 'OnDelete' } });
    expect((await podClient().get('first')).metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
    await cluster.advance(1000);
    await podClient().create(orphan('second'));
    await cluster.settle();
    await pods.reap();
    expect((await pods.list()).map(nameOf)).toEqual(['first']);
    expect(written('POST', /\/pods$/)).toBe(0);
    await expectIdle();
  });

  it('does nothing once it is being deleted', async () => {
    await addNodes(['n1']);
    await create();
    await sets().delete('agent', { propagationPolicy: 'Foreground' });
    await cluster.settle();
    await podClient().delete(nameOf((await pods.list())[0]!));
    await revisionClient().delete(nameOf((await revisions())[0]!));
    await addNodes(['n2']);
    expect(await placed()).toEqual([]);
    expect(await revisions()).toEqual([]);
  });
});

describe('a rolling update of daemons', () => {
  it('replaces up to maxUnavailable pods at a time', async () => {
    await addNodes(['n1', 'n2', 'n3', 'n4']);
    await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } } });
    await runAll();
    await patch({ template: templateOf('c:2') });
    expect(await placed()).toEqual(['n1 c:1 going', 'n2 c:1 going', 'n3 c:1', 'n4 c:1']);
    expect(await status()).toMatchObject({ observedGeneration: 2, numberReady: 4 });
    await pods.reap();
    expect(await placed()).toEqual(['n1 c:2', 'n2 c:2', 'n3 c:1', 'n4 c:1']);
    expect(await status()).toMatchObject({ updatedNumberScheduled: 2, numberAvailable: 2, numberUnavailable: 2 });
    await run(await on('n1'));
    expect(await placed()).toEqual(['n1 c:2', 'n2 c:2', 'n3 c:1 going', 'n4 c:1']);
    await runAll();
    expect(await placed()).toEqual(['n1 c:2', 'n2 c:2', 'n3 c:2', 'n4 c:2']);
    expect(await status()).toMatchObject({ updatedNumberScheduled: 4, numberAvailable: 4 });
    expect([written('POST', /\/pods$/), written('DELETE', /\/pods\//)]).toEqual([8, 4]);
    expect((await revisions()).map(({ revision }) => revision)).toEqual([1, 2]);
    await expectIdle();
  });

  it('replaces unavailable pods first', async () => {
    await addNodes(['n1', 'n2', 'n3']);
    await create();
    await runAll();
    await pods.run(await on('n3'), false);
    await patch({ template: templateOf('c:2') });
    expect(await placed()).toEqual(['n1 c:1', 'n2 c:1', 'n3 c:1 going']);
    await runAll();
    expect(await placed()).toEqual(['n1 c:2', 'n2 c:2', 'n3 c:2']);
  });

  it('with maxSurge creates new pods beside old ones and waits until they are available', async () => {
    await addNodes(['n1', 'n2']);
    await create({
      minReadySeconds: 5,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    await runAll();
    await cluster.advance(5000);
    await patch({ minReadySeconds: 5, template: templateOf('c:2') });
    expect(await placed()).toEqual(['n1 c:1', 'n1 c:2', 'n2 c:1']);
    await run(await on('n1'));
    expect(await placed()).toEqual(['n1 c:1', 'n1 c:2', 'n2 c:1']);
    await cluster.advance(5000);
    expect(await placed()).toEqual(['n1 c:1 going', 'n1 c:2', 'n2 c:1', 'n2 c:2']);
    for (let round = 0; round < 3; round++) {
      await runAll();
      await cluster.advance(5000);
    }
    await runAll();
    expect(await placed()).toEqual(['n1 c:2', 'n2 c:2']);
    expect(await status()).toMatchObject({ updatedNumberScheduled: 2, numberAvailable: 2 });
    await expectIdle();
  });

  it('with OnDelete waits until users delete pods', async () => {
    await addNodes(['n1', 'n2']);
    await create({ updateStrategy: { type: 'OnDelete' } });
    await runAll();
    await patch({ template: templateOf('c:2') });
    expect(await placed()).toEqual(['n1 c:1', 'n2 c:1']);
    expect(await status()).not.toHaveProperty('updatedNumberScheduled');
    await podClient().delete(nameOf((await on('n2'))[0]!));
    await cluster.settle();
    await runAll();
    expect(await placed()).toEqual(['n1 c:1', 'n2 c:2']);
    await expectIdle();
  });

  it('that is rolled back makes the old revision the newest again', async () => {
    await addNodes(['n1']);
    await create();
    await runAll();
    await patch({ template: templateOf('c:2') });
    await runAll();
    const [first] = await revisions();
    await sets().patch('agent', 'strategic-merge', first!.data!);
    await cluster.settle();
    await runAll();
    expect(await placed()).toEqual(['n1 c:1']);
    expect((await revisions()).map((one) => [one.revision, nameOf(one) === nameOf(first!)])).toEqual([
      [2, false],
      [3, true],
    ]);
    await expectIdle();
  });

  it('keeps old revisions up to revisionHistoryLimit, and those of existing pods', async () => {
    await addNodes(['n1']);
    await create({ revisionHistoryLimit: 1, updateStrategy: { type: 'OnDelete' } });
    for (const image of ['c:2', 'c:3', 'c:4']) await patch({ template: templateOf(image) });
    expect((await revisions()).map(({ revision }) => revision)).toEqual([1, 4]);
    await patch({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } } });
    await runAll();
    await patch({ template: templateOf('c:5') });
    await runAll();
    expect((await revisions()).map(({ revision }) => revision)).toEqual([4, 5]);
    await expectIdle();
  });

  it('increments collisionCount when the name of a revision is taken, and uses another name', async () => {
    await addNodes(['n1']);
    await create();
    const [first] = await revisions();
    await sets().delete('agent');
    for (const pod of await pods.list()) await podClient().delete(nameOf(pod));
    await revisionClient().delete(nameOf(first!));
    await revisionClient().create({
      metadata: { name: nameOf(first!), labels: { other: 'one' } },
      data: revisionData(templateOf('other')),
      revision: 7,
    });
    await create();
    await cluster.advance(1000);
    expect(await status()).toMatchObject({ collisionCount: 1, desiredNumberScheduled: 1, currentNumberScheduled: 1 });
    const own = (await revisions()).filter(({ metadata }) => metadata.ownerReferences);
    expect(own).toHaveLength(1);
    expect(await placed()).toEqual(['n1 c:1']);
    await runAll();
    await expectIdle();
  });

  it('continues with revisions that earlier versions named with other hashes', async () => {
    await addNodes(['n1', 'n2']);
    await create();
    await runAll();
    const before = (await pods.list()).map(nameOf);
    await cluster.stopControllers();
    const hash = '75f6b4c9c8';
    const [made] = await revisions();
    const { name, labels: ownLabels, ownerReferences } = made!.metadata;
    await revisionClient().delete(name!);
    await revisionClient().create({
      ...made!,
      metadata: {
        name: `agent-${hash}`,
        labels: { ...ownLabels, 'controller-revision-hash': hash },
        ...(ownerReferences && { ownerReferences }),
      },
    });
    for (const pod of before)
      await podClient().patch(pod, 'merge', { metadata: { labels: { 'controller-revision-hash': hash } } });

    cluster.startControllers();
    await cluster.settle();
    expect((await pods.list()).map(nameOf)).toEqual(before);
    expect((await revisions()).map(nameOf)).toEqual([`agent-${hash}`]);
    expect(await status()).toMatchObject({ updatedNumberScheduled: 2 });
    await patch({ template: templateOf('c:2') });
    await runAll();
    await patch({ template });
    await runAll();
    expect((await revisions()).map(nameOf)).toEqual([expect.not.stringContaining(hash), `agent-${hash}`]);
    expect(await placed()).toEqual(['n1 c:1', 'n2 c:1']);
    await expectIdle();
  });

  it('keeps one of several equal revisions and relabels the pods of the others', async () => {
    await addNodes(['n1']);
    await create();
    await runAll();
    const [first] = await revisions();
    const { metadata } = first!;
    const double = { app: 'agent', 'controller-revision-hash': 'double' };
    await revisionClient().create({
      metadata: { name: 'agent-double', labels: double, ownerReferences: metadata.ownerReferences! },
      data: first!.data!,
      revision: 2,
    });
    await cluster.settle();
    expect((await revisions()).map(nameOf)).toEqual(['agent-double']);
    expect((await pods.list())[0]!.metadata.labels).toMatchObject(double);
    expect(written('DELETE', /\/pods\//)).toBe(0);
    await expectIdle();
  });
});

describe('a DaemonSet with failures', () => {
  it('retries with backoff', async () => {
    await addNodes(Array.from({ length: 20 }, (_, i) => `n${i}`));
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/pods')) throw newInternalError(new Error('full'));
    };
    await create();
    expect(written('POST', /\/pods$/)).toBeLessThan(5);
    expect((await cluster.events())[0]).toBe(
      'Warning FailedCreate DaemonSet/agent: Error creating: Internal error occurred: full',
    );
    expect(await status()).toMatchObject({ desiredNumberScheduled: 20, currentNumberScheduled: 0 });
    cluster.spy.plan = () => {};
    await cluster.advance(1000);
    expect(await pods.list()).toHaveLength(20);
  });

  it('updates its status in spite of a conflict', async () => {
    await addNodes(['n1']);
    let conflicts = 0;
    cluster.spy.plan = ({ url }) => {
      if (url.endsWith('/agent/status') && conflicts++ === 0) {
        throw newConflict(GroupResource.of('apps', 'daemonsets'), 'agent', new Error('changed'));
      }
    };
    await create();
    expect(await status()).toMatchObject({ currentNumberScheduled: 1 });
    expect(cluster.log).toEqual([]);
  });

  it('creates no extra pods after restarts of the controllers', async () => {
    await addNodes(['n1', 'n2', 'n3']);
    await create();
    const restart = async (): Promise<void> => {
      await cluster.stopControllers();
      cluster.startControllers();
      await cluster.settle();
    };
    await restart();
    await runAll();
    await patch({ template: templateOf('c:2') });
    for (let round = 0; round < 4; round++) {
      await restart();
      await pods.reap();
      await run((await pods.staying()).filter(({ status }) => status?.phase === 'Pending'));
    }
    await runAll();
    expect(await placed()).toEqual(['n1 c:2', 'n2 c:2', 'n3 c:2']);
    expect([written('POST', /\/pods$/), written('DELETE', /\/pods\//)]).toEqual([6, 3]);
    await expectIdle();
  });

  it('deletes a pending pod when its node no longer accepts it', async () => {
    await addNodes(['n1', 'n2']);
    await create();
    await taint('n1', { key: 'k', effect: 'NoExecute' });
    expect(await placed()).toEqual(['n2 c:1']);
  });

  it('creates a pod on each of a thousand nodes with one request each', async () => {
    await addNodes(Array.from({ length: 1000 }, (_, i) => `n${i}`));
    await create();
    expect(await pods.list()).toHaveLength(1000);
    expect(written('POST', /\/pods$/)).toBe(1000);
    expect(written('PUT', /status$/)).toBeLessThanOrEqual(10);
    await expectIdle();
  });

  it('has one pod of the newest template on each eligible node after random steps', async () => {
    const step = fc.record({
      do: fc.constantFrom('image', 'taint', 'untaint', 'evict', 'run', 'stall', 'fail', 'delete', 'restart', 'break'),
      to: fc.nat(3),
    });
    const strategy = fc.constantFrom({ maxUnavailable: 2, maxSurge: 0 }, { maxUnavailable: 0, maxSurge: 1 });
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(strategy, fc.array(step, { minLength: 1, maxLength: 12 }), async (rollingUpdate, steps) => {
        await cluster.stop();
        await startCluster();
        const all = ['n0', 'n1', 'n2', 'n3'];
        await addNodes(all);
        await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
        const away = new Set<string>();
        let image = 'c:1';
        for (const { do: what, to } of steps) {
          const node = `n${to}`;
          if (what === 'image') {
            image = `c:${to}`;
            await patch({ template: templateOf(image) });
          } else if (what === 'taint' || what === 'evict') {
            if (what === 'evict') away.add(node);
            await taint(node, { key: 'k', effect: what === 'evict' ? 'NoExecute' : 'NoSchedule' });
          } else if (what === 'untaint') {
            away.delete(node);
            await taint(node);
          } else if (what === 'run' || what === 'stall') await run(await on(node), what === 'run');
          else if (what === 'restart') {
            await cluster.stopControllers();
            cluster.startControllers();
          } else if (what === 'break') {
            cluster.spy.plan = ({ method }) => {
              if (method !== 'GET' && ++seen % (to + 2) === 0) throw newInternalError(new Error('by chance'));
            };
          } else {
            for (const pod of await on(node)) {
              if (what === 'delete') await podClient().delete(nameOf(pod));
              else
                await podClient().patch(
                  nameOf(pod),
                  'merge',
                  { status: { phase: 'Failed' } },
                  { subresource: 'status' },
                );
            }
          }
          await cluster.settle();
          for (const name of all) expect((await on(name)).length).toBeLessThanOrEqual(1 + rollingUpdate.maxSurge);
        }
        cluster.spy.plan = () => {};
        for (const node of all) if (!away.has(node)) await taint(node);
        await cluster.advance(2_000_000, 1_000_000);
        for (let writes = -1; writes < cluster.spy.writes.length; ) {
          writes = cluster.spy.writes.length;
          await run(await pods.staying());
          await pods.reap();
          await cluster.advance(1000);
        }
        const wanted = all.filter((node) => !away.has(node));
        expect(await placed()).toEqual(wanted.map((node) => `${node} ${image}`));
        const { desiredNumberScheduled, numberAvailable = 0, updatedNumberScheduled = 0 } = (await status())!;
        expect(new Set([desiredNumberScheduled, numberAvailable, updatedNumberScheduled])).toEqual(
          new Set([wanted.length]),
        );
        await expectIdle();
      }),
      { numRuns: 10 },
    );
  });
});
