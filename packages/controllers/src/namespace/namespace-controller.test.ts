import type { Namespace, NamespaceCondition } from '@coxswain/api/core/v1';
import { isNotFound, newInternalError } from '@coxswain/apimachinery/errors';
import { DiscoveryClient } from '@coxswain/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { createWidgetDefinition, widgets } from '../../test/widgets.ts';
import { namespaceController } from './index.ts';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [namespaceController] });
  await namespaces().create({ metadata: { name: 'n' } });
});
afterEach(() => cluster.stop());

const namespaces = () => cluster.clients.core.v1.namespaces();
const configMaps = () => cluster.clients.core.v1.configMaps('n');
const pods = () => cluster.clients.core.v1.pods('n');

const isGone = (): Promise<boolean> =>
  namespaces()
    .get('n')
    .then(() => false, isNotFound);

const conditions = async (): Promise<string[]> =>
  ((await namespaces().get('n')).status?.conditions ?? []).map(
    ({ type, status, reason, message }: NamespaceCondition) => `${type}=${status} ${reason}: ${message}`,
  );

const well = {
  discovery: 'NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully discovered',
  parsing:
    'NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types successfully parsed',
  deletion:
    'NamespaceDeletionContentFailure=False ContentDeleted: All content successfully deleted, may be waiting on finalization',
  content: 'NamespaceContentRemaining=False ContentRemoved: All content successfully removed',
  finalizers: 'NamespaceFinalizersRemaining=False ContentHasNoFinalizers: All content-preserving finalizers finished',
};

const writes = (): string[] => cluster.spy.writes.map(({ method, url }) => `${method} ${url.split('?')[0]}`);
const path = '/api/v1/namespaces/n';

/** A pod on a node. Only a kubelet would complete its deletion. */
const runningPod = (terminationGracePeriodSeconds: number) => ({
  metadata: { name: 'p' },
  spec: { nodeName: 'nowhere', terminationGracePeriodSeconds, containers: [{ name: 'c', image: 'c' }] },
});

describe('a namespace that is deleted', () => {
  it('is not processed for five seconds, so that every API server observes the deletion', async () => {
    await configMaps().create({ metadata: { name: 'c' } });
    await namespaces().delete('n');
    await cluster.advance(4999);
    expect(cluster.spy.writes).toEqual([]);
    expect((await configMaps().get('c')).metadata.name).toBe('c');
    await cluster.advance(1);
    expect(await isGone()).toBe(true);
  });

  it('needs one write each for its content, its status and its finalizer', async () => {
    await configMaps().create({ metadata: { name: 'c' } });
    await namespaces().delete('n');
    await cluster.advance(5000);
    expect(writes()).toEqual([`DELETE ${path}/configmaps`, `PUT ${path}/status`, `PUT ${path}/finalize`]);
    await cluster.advance(600_000, 60_000);
    expect(writes()).toHaveLength(3);
  });

  it('is processed if it was deleted while the controller was stopped', async () => {
    await cluster.stopControllers();
    await namespaces().delete('n');
    cluster.startControllers();
    await cluster.settle();
    await cluster.advance(5000);
    expect(await isGone()).toBe(true);
  });

  it('is kept while its spec has other finalizers', async () => {
    const namespace = await namespaces().get('n');
    await namespaces().finalize({
      ...namespace,
      spec: { finalizers: ['kubernetes', 'example.com/z', 'example.com/a'] },
    });
    await namespaces().delete('n');
    await cluster.advance(5000);
    expect((await namespaces().get('n')).spec?.finalizers).toEqual(['example.com/a', 'example.com/z']);
    expect(await conditions()).toEqual(Object.values(well));
  });
});

describe('pods', () => {
  it('are deleted before other objects', async () => {
    await pods().create(runningPod(40));
    await configMaps().create({ metadata: { name: 'c' } });
    await namespaces().delete('n');
    await cluster.advance(5000);
    expect((await pods().get('p')).metadata.deletionTimestamp).toBeDefined();
    expect((await configMaps().get('c')).metadata.deletionTimestamp).toBeUndefined();
    // As in upstream, remaining content is not reported while there are pods.
    expect(await conditions()).toEqual(Object.values(well));
    // The status update causes an update event, and so another reconcile.
    await cluster.advance(5000);
    const before = cluster.spy.requests.length;
    await cluster.advance(15_999);
    expect(cluster.spy.requests.length).toBe(before);
    await pods().delete('p', { gracePeriodSeconds: 0 });
    await cluster.advance(5001, 1000);
    expect(await isGone()).toBe(true);
  });

  it('that outlive their grace period are a failure', async () => {
    await pods().create(runningPod(10));
    await namespaces().delete('n');
    await cluster.advance(20_000, 1000);
    expect(await conditions()).toEqual([
      well.discovery,
      well.parsing,
      'NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: n for gvr: /v1, Resource=pods',
      well.content,
      well.finalizers,
    ]);
    await pods().delete('p', { gracePeriodSeconds: 0 });
    await cluster.advance(60_000, 5000);
    expect(await isGone()).toBe(true);
  });
});

describe('finalizers of the content', () => {
  beforeEach(() => createWidgetDefinition(cluster));

  it('delay the deletion and are reported', async () => {
    await widgets(cluster, 'n').create({ metadata: { name: 'w1', finalizers: ['example.com/a'] } });
    await widgets(cluster, 'n').create({ metadata: { name: 'w2', finalizers: ['example.com/a', 'example.com/b'] } });
    await configMaps().create({ metadata: { name: 'c', finalizers: ['example.com/b'] } });
    await namespaces().delete('n');
    await cluster.advance(5000);
    const [started, ...others] = (await namespaces().get('n')).status!.conditions!;
    expect(await conditions()).toEqual([
      well.discovery,
      well.parsing,
      well.deletion,
      'NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, widgets.example.com has 2 resource instances',
      'NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/a in 2 resource instances, example.com/b in 2 resource instances',
    ]);
    for (const name of ['w1', 'w2'])
      await widgets(cluster, 'n').patch(name, 'merge', { metadata: { finalizers: null } });
    await cluster.advance(8000, 1000);
    expect((await conditions()).slice(3)).toEqual([
      'NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances',
      'NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/b in 1 resource instances',
    ]);
    // Only a change of the status changes lastTransitionTime.
    expect((await namespaces().get('n')).status!.conditions!.map((one) => one.lastTransitionTime)).toEqual(
      [started!, ...others].map((one) => one.lastTransitionTime),
    );
    const before = cluster.spy.writes.length;
    await cluster.advance(120_000, 8000);
    // The controller checks again, but sends no deletes for objects that are being deleted.
    expect(cluster.spy.writes.length).toBe(before);
    await configMaps().patch('c', 'merge', { metadata: { finalizers: null } });
    await cluster.advance(16_000, 8000);
    expect(await isGone()).toBe(true);
  });
});

describe('failures', () => {
  const failing = (isIt: (request: { method: string; url: string }) => boolean): void => {
    cluster.spy.plan = (request) => {
      if (isIt(request)) throw newInternalError(new Error('injected'));
    };
  };

  it('of one resource do not affect others, and are reported', async () => {
    await configMaps().create({ metadata: { name: 'c' } });
    await cluster.clients.core.v1.secrets('n').create({ metadata: { name: 's' } });
    failing(({ method, url }) => method === 'DELETE' && url.includes('/configmaps'));
    await namespaces().delete('n');
    await cluster.advance(5000);
    expect((await cluster.clients.core.v1.secrets('n').list()).items).toEqual([]);
    expect((await conditions())[2]).toBe(
      'NamespaceDeletionContentFailure=True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: Internal error occurred: injected',
    );
    cluster.spy.plan = () => {};
    await cluster.advance(60_000, 5000);
    expect(await isGone()).toBe(true);
  });

  it('of discovery keep the namespace but not its known content', async () => {
    await cluster.clients.apiregistration.v1.apiServices().create({
      metadata: { name: 'v1.broken.example.com' },
      spec: {
        group: 'broken.example.com',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: 'nobody' },
      },
    });
    await configMaps().create({ metadata: { name: 'c' } });
    await cluster.until(async () => JSON.stringify(await discovered()).includes('broken.example.com'));
    await namespaces().delete('n');
    await cluster.advance(5000);
    expect((await configMaps().list()).items).toEqual([]);
    expect((await conditions())[0]).toBe(
      'NamespaceDeletionDiscoveryFailure=True DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: broken.example.com/v1: stale GroupVersion discovery: broken.example.com/v1',
    );
    expect(await isGone()).toBe(false);
    await cluster.clients.apiregistration.v1.apiServices().delete('v1.broken.example.com');
    await cluster.until(async () => !JSON.stringify(await discovered()).includes('broken.example.com'));
    await cluster.advance(120_000, 5000);
    expect(await isGone()).toBe(true);
  });
  const discovered = (): Promise<unknown> => new DiscoveryClient(cluster.rest).serverGroupsAndResources();

  it('because of concurrent changes of the namespace are retried', async () => {
    let changes = 0;
    cluster.spy.plan = async ({ method, url }) => {
      if (method !== 'PUT' || changes >= 3) return;
      changes += 1;
      const namespace: Namespace = await namespaces().get('n');
      await namespaces().update({
        ...namespace,
        metadata: { ...namespace.metadata, annotations: { changed: `${changes} ${url}` } },
      });
    };
    await namespaces().delete('n');
    await cluster.advance(5000);
    await cluster.advance(10_000, 1000);
    expect(changes).toBe(3);
    expect(await isGone()).toBe(true);
  });
});
