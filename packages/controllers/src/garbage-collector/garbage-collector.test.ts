import type { ConfigMap } from '@coxswain/api/core/v1';
import { isNotFound, newInternalError } from '@coxswain/apimachinery/errors';
import type { KubernetesObject, ObjectMeta, OwnerReference } from '@coxswain/apimachinery/meta';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { createWidgetDefinition, widgets } from '../../test/widgets.ts';
import { garbageCollectorController } from './index.ts';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await TestCluster.start({ controllers: [garbageCollectorController] });
});
afterEach(() => cluster.stop());

const configMaps = (namespace = 'default') => cluster.clients.core.v1.configMaps(namespace);

const make = (name: string, metadata: ObjectMeta = {}, namespace = 'default'): Promise<ConfigMap> =>
  configMaps(namespace).create({ metadata: { name, ...metadata } });

/** Returns an owner reference to the object. */
const ref = (owner: KubernetesObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: owner.apiVersion!,
  kind: owner.kind!,
  name: owner.metadata!.name!,
  uid: owner.metadata!.uid!,
  ...more,
});
const ownedBy = (...owners: KubernetesObject[]): ObjectMeta => ({ ownerReferences: owners.map((owner) => ref(owner)) });
const blocking = (...owners: KubernetesObject[]): ObjectMeta => ({
  ownerReferences: owners.map((owner) => ref(owner, { blockOwnerDeletion: true })),
});

/** Returns the names of the ConfigMaps, without those that the cluster creates. */
const names = async (namespace = 'default'): Promise<string[]> => {
  const { items } = await configMaps(namespace).list();
  return items.map(({ metadata }) => metadata.name!).filter((name) => name !== 'kube-root-ca.crt');
};
const ownersOf = async (name: string): Promise<string[]> =>
  ((await configMaps().get(name)).metadata.ownerReferences ?? []).map((owner) => owner.name);

const foreground = { propagationPolicy: 'Foreground' } as const;
const writes = (): string[] => cluster.spy.writes.map(({ method, url }) => `${method} ${url.split('?')[0]}`);
const path = '/api/v1/namespaces/default/configmaps';

describe('background deletion', () => {
  it('deletes dependents and their dependents with one write each', async () => {
    const owner = await make('owner');
    const child = await make('child', ownedBy(owner));
    await make('grandchild', ownedBy(child));
    await make('other');
    await cluster.settle();
    expect(writes()).toEqual([]);
    await configMaps().delete('owner');
    await cluster.settle();
    expect(await names()).toEqual(['other']);
    expect(writes()).toEqual([`DELETE ${path}/child`, `DELETE ${path}/grandchild`]);
  });

  it('keeps objects with another owner and removes the stale owner reference', async () => {
    const [a, b] = [await make('a'), await make('b')];
    await make('child', ownedBy(a, b));
    await cluster.settle();
    await configMaps().delete('a');
    await cluster.settle();
    expect(await names()).toEqual(['b', 'child']);
    expect(await ownersOf('child')).toEqual(['b']);
    expect(writes()).toEqual([`PATCH ${path}/child`]);
  });

  it('sends no reads when the deletion of the owner was observed', async () => {
    const owner = await make('owner');
    await Promise.all(Array.from({ length: 200 }, (_, i) => make(`child-${i}`, ownedBy(owner))));
    await cluster.settle();
    const before = cluster.spy.requests.length;
    await configMaps().delete('owner');
    await cluster.settle();
    expect(await names()).toEqual([]);
    const requests = cluster.spy.requests.slice(before);
    expect(requests.map(({ method }) => method)).toEqual(Array.from({ length: 200 }, () => 'DELETE'));
  });

  it('is completed for owners that were deleted while the controller was stopped', async () => {
    const owner = await make('owner');
    await make('child', ownedBy(owner));
    await cluster.settle();
    await cluster.stopControllers();
    await configMaps().delete('owner');
    cluster.startControllers();
    await cluster.settle();
    expect(await names()).toEqual([]);
  });

  it('does not mistake a new object of the same name for the owner', async () => {
    const owner = await make('owner');
    await cluster.stopControllers();
    await configMaps().delete('owner');
    await make('owner');
    await make('child', ownedBy(owner));
    cluster.startControllers();
    await cluster.settle();
    expect(await names()).toEqual(['owner']);
  });

  it('deletes an object whose owner never existed', async () => {
    await make('child', { ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'none', uid: 'no-such-uid' }] });
    await cluster.settle();
    expect(await names()).toEqual([]);
  });

  it('waits while the server does not know the kind of an owner', async () => {
    const reference = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'none', uid: 'no-such-uid' };
    await make('child', { ownerReferences: [reference] });
    await cluster.settle();
    await cluster.advance(60_000, 5000);
    expect(await names()).toEqual(['child']);
    await createWidgetDefinition(cluster);
    await cluster.advance(120_000, 5000);
    expect(await names()).toEqual([]);
  });
});

describe('failures', () => {
  it('are retried', async () => {
    const owner = await make('owner');
    await make('child', ownedBy(owner));
    await cluster.settle();
    let failures = 3;
    cluster.spy.plan = ({ method }) => {
      if (method === 'DELETE' && failures-- > 0) throw newInternalError(new Error('injected'));
    };
    await configMaps().delete('owner');
    await cluster.settle();
    await cluster.advance(1000, 100);
    expect(failures).toBeLessThan(0);
    expect(await names()).toEqual([]);
  });

  it('to observe a new owner in time do not delete the object', async () => {
    const owner = await make('owner');
    const other = await make('other');
    await make('child', ownedBy(owner));
    await cluster.settle();
    let isFirst = true;
    cluster.spy.plan = async ({ method }) => {
      if (method !== 'DELETE' || !isFirst) return;
      isFirst = false;
      const child = await configMaps().get('child');
      await configMaps().update({ ...child, metadata: { ...child.metadata, ...ownedBy(owner, other) } });
    };
    await configMaps().delete('owner');
    await cluster.settle();
    await cluster.advance(1000, 100);
    expect(isFirst).toBe(false);
    expect(await names()).toEqual(['child', 'other']);
    expect(await ownersOf('child')).toEqual(['other']);
  });

  it('because of other changes to the object do not prevent its deletion', async () => {
    const owner = await make('owner');
    await make('child', ownedBy(owner));
    await cluster.settle();
    let isFirst = true;
    cluster.spy.plan = async ({ method }) => {
      if (method !== 'DELETE' || !isFirst) return;
      isFirst = false;
      await configMaps().patch('child', 'merge', { data: { changed: 'yes' } });
    };
    await configMaps().delete('owner');
    await cluster.settle();
    expect(await names()).toEqual([]);
    expect(writes()).toEqual([`DELETE ${path}/child`, `DELETE ${path}/child`]);
  });
});

describe('foreground deletion', () => {
  it('keeps the owner until all blocking dependents are deleted', async () => {
    const owner = await make('owner');
    const child = await make('child', { ...blocking(owner), finalizers: ['example.com/keep'] });
    await make('careless', ownedBy(owner));
    await make('grandchild', blocking(child));
    await cluster.settle();
    await configMaps().delete('owner', foreground);
    await cluster.settle();
    expect(await names()).toEqual(['child', 'owner']);
    expect((await configMaps().get('owner')).metadata.finalizers).toEqual(['foregroundDeletion']);
    expect((await configMaps().get('child')).metadata.finalizers).toEqual(['example.com/keep']);
    await configMaps().patch('child', 'merge', { metadata: { finalizers: null } });
    await cluster.settle();
    expect(await names()).toEqual([]);
  });

  it('continues after a restart', async () => {
    const owner = await make('owner');
    await make('child', blocking(owner));
    await cluster.settle();
    await cluster.stopControllers();
    await configMaps().delete('owner', foreground);
    cluster.startControllers();
    await cluster.settle();
    expect(await names()).toEqual([]);
  });

  it('does not wait for dependents that do not block or stop blocking', async () => {
    const owner = await make('owner');
    await make('blocks', { ...blocking(owner), finalizers: ['example.com/keep'] });
    await cluster.settle();
    await configMaps().delete('owner', foreground);
    await cluster.settle();
    expect(await names()).toEqual(['blocks', 'owner']);
    await configMaps().patch('blocks', 'strategic-merge', { metadata: ownedBy(owner) });
    await configMaps().patch('blocks', 'strategic-merge', {
      metadata: { ownerReferences: [{ ...ref(owner), blockOwnerDeletion: false }] },
    });
    await cluster.settle();
    expect(await names()).toEqual(['blocks']);
  });

  it('of one of several owners keeps the dependent', async () => {
    const [a, b] = [await make('a'), await make('b')];
    await make('child', blocking(a, b));
    await cluster.settle();
    await configMaps().delete('a', foreground);
    await cluster.settle();
    expect(await names()).toEqual(['b', 'child']);
    expect(await ownersOf('child')).toEqual(['b']);
  });

  it('resolves a cycle of owners', async () => {
    const a = await make('a');
    const b = await make('b', blocking(a));
    const c = await make('c', blocking(b));
    await configMaps().patch('a', 'merge', { metadata: blocking(c) });
    await cluster.settle();
    expect(writes()).toEqual([]);
    await configMaps().delete('a', foreground);
    await cluster.settle();
    await cluster.advance(1000, 100);
    expect(await names()).toEqual([]);
  });

  it('deletes a dependent that is added during the deletion', async () => {
    const owner = await make('owner');
    await make('child', { ...blocking(owner), finalizers: ['example.com/keep'] });
    await cluster.settle();
    await configMaps().delete('owner', foreground);
    await cluster.settle();
    await make('late', blocking(owner));
    await cluster.settle();
    expect(await names()).toEqual(['child', 'owner']);
  });
});

describe('orphaning', () => {
  it('releases all dependents, then deletes the owner', async () => {
    const owner = await make('owner');
    const other = await make('other');
    for (let i = 0; i < 30; i++) await make(`child-${i}`, i === 0 ? ownedBy(owner, other) : ownedBy(owner));
    await cluster.settle();
    await configMaps().delete('owner', { propagationPolicy: 'Orphan' });
    await cluster.settle();
    expect(await names()).toHaveLength(31);
    expect(await ownersOf('child-0')).toEqual(['other']);
    expect(await ownersOf('child-29')).toEqual([]);
    expect(writes()).toHaveLength(31);
    expect(writes().at(-1)).toBe(`PATCH ${path}/owner`);
  });

  it('keeps the owner while a dependent cannot be released', async () => {
    const owner = await make('owner');
    await make('child', ownedBy(owner));
    await cluster.settle();
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'PATCH' && url.includes('/child')) throw newInternalError(new Error('injected'));
    };
    await configMaps().delete('owner', { propagationPolicy: 'Orphan' });
    await cluster.settle();
    expect(await names()).toEqual(['child', 'owner']);
    cluster.spy.plan = () => {};
    await cluster.advance(10_000, 1000);
    expect(await names()).toEqual(['child']);
  });
});

describe('references across namespaces', () => {
  const message = ({ metadata }: KubernetesObject): string =>
    `Warning OwnerRefInvalidNamespace ConfigMap/child: ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${metadata!.uid}] does not exist in namespace "default"`;

  it('are reported and do not keep the dependent', async () => {
    await cluster.clients.core.v1.namespaces().create({ metadata: { name: 'other' } });
    const owner = await make('owner', {}, 'other');
    await cluster.settle();
    await make('child', ownedBy(owner));
    await cluster.settle();
    expect(await names()).toEqual([]);
    expect(await names('other')).toEqual(['owner']);
    expect(await cluster.events()).toEqual([message(owner)]);
  });

  it('are also found when the dependent is observed first', async () => {
    await cluster.stopControllers();
    await cluster.clients.core.v1.namespaces().create({ metadata: { name: 'other' } });
    const owner = await make('owner', {}, 'other');
    await make('child', ownedBy(owner));
    cluster.startControllers();
    await cluster.settle();
    expect(await names()).toEqual([]);
    expect(await names('other')).toEqual(['owner']);
  });

  it('to cluster-scoped owners are valid', async () => {
    const owner = await cluster.clients.rbac.v1.clusterRoles().create({ metadata: { name: 'owner' }, rules: [] });
    await make('child', ownedBy(owner));
    await cluster.settle();
    expect(await names()).toEqual(['child']);
    await cluster.clients.rbac.v1.clusterRoles().delete('owner');
    await cluster.settle();
    expect(await names()).toEqual([]);
  });

  it('from cluster-scoped objects to namespaced owners are ignored', async () => {
    const roles = cluster.clients.rbac.v1.clusterRoles();
    const owner = await make('owner');
    await roles.create({ metadata: { name: 'child', ...ownedBy(owner) }, rules: [] });
    await cluster.settle();
    await configMaps().delete('owner');
    await cluster.settle();
    await cluster.advance(60_000, 10_000);
    expect((await roles.get('child')).metadata.name).toBe('child');
    expect(writes()).toEqual([]);
  });
});

describe('custom resources', () => {
  beforeEach(() => createWidgetDefinition(cluster));

  it('can be owners and dependents', async () => {
    await cluster.advance(30_000);
    const owner = await make('owner');
    const widget = await widgets(cluster).create({ metadata: { name: 'w', ...ownedBy(owner) } });
    await make('child', ownedBy(widget));
    await cluster.settle();
    expect(writes()).toEqual([]);
    await configMaps().delete('owner');
    await cluster.settle();
    expect(await names()).toEqual([]);
    await expect(widgets(cluster).get('w')).rejects.toSatisfy(isNotFound);
  });

  it('are released without strategic merge patches', async () => {
    await cluster.advance(30_000);
    const owner = await make('owner');
    for (const name of ['v', 'w']) await widgets(cluster).create({ metadata: { name, ...ownedBy(owner) } });
    await cluster.settle();
    await configMaps().delete('owner', { propagationPolicy: 'Orphan' });
    await cluster.settle();
    expect((await widgets(cluster).get('w')).metadata!.ownerReferences).toBeUndefined();
    expect((await widgets(cluster).get('v')).metadata!.ownerReferences).toBeUndefined();
    expect(await names()).toEqual([]);
  });

  it('that existed before their kind was discovered are found', async () => {
    const owner = await make('owner');
    await widgets(cluster).create({ metadata: { name: 'w', ...ownedBy(owner) } });
    await configMaps().delete('owner');
    await cluster.settle();
    expect((await widgets(cluster).get('w')).metadata!.name).toBe('w');
    await cluster.advance(30_000);
    await expect(widgets(cluster).get('w')).rejects.toSatisfy(isNotFound);
  });

  it('are deleted with their definition, and their dependents too', async () => {
    await cluster.advance(30_000);
    const widget = await widgets(cluster).create({ metadata: { name: 'w' } });
    await make('child', ownedBy(widget));
    await cluster.settle();
    const definitions = cluster.clients.apiextensions.v1.customResourceDefinitions();
    await definitions.delete('widgets.example.com');
    await cluster.until(async () => (await names()).length === 0);
    await cluster.until(async () => (await definitions.list()).items.length === 0);
    await cluster.advance(60_000, 10_000);
    const before = cluster.spy.requests.length;
    await cluster.advance(25_000);
    // No requests are sent for the removed resource.
    expect(cluster.spy.requests.slice(before).filter(({ url }) => url.includes('widgets'))).toEqual([]);
  });
});

describe('random owner references', () => {
  const count = 8;
  const name = (i: number): string => `object-${i}`;

  /** Returns the objects that must be deleted: those in `deleted`, and those all of whose owners are deleted. */
  function casualties(owners: readonly (readonly number[])[], deleted: readonly number[]): Set<number> {
    const gone = new Set(deleted);
    for (let before = -1; before !== gone.size; ) {
      before = gone.size;
      owners.forEach((of, i) => {
        if (of.length > 0 && of.every((owner) => gone.has(owner))) gone.add(i);
      });
    }
    return gone;
  }

  it('lead to the deletion of exactly the objects without owners', async () => {
    const object = fc.uniqueArray(fc.nat(count - 1), { maxLength: 3 });
    const plan = fc.record({
      owners: fc.array(object, { minLength: count, maxLength: count }),
      deleted: fc.array(fc.record({ which: fc.nat(count - 1), isForeground: fc.boolean(), restart: fc.boolean() }), {
        minLength: 1,
        maxLength: 3,
      }),
      blocking: fc.boolean(),
      failEvery: fc.integer({ min: 2, max: 9 }),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(plan, async ({ owners, deleted, blocking: blockOwnerDeletion, failEvery }) => {
        const namespace = `round-${round++}`;
        await cluster.clients.core.v1.namespaces().create({ metadata: { name: namespace } });
        const objects = configMaps(namespace);
        const made = await Promise.all(owners.map((_, i) => make(name(i), {}, namespace)));
        for (const [i, of] of owners.entries()) {
          const ownerReferences = of
            .filter((owner) => owner !== i)
            .map((owner) => ref(made[owner]!, { blockOwnerDeletion }));
          await objects.patch(name(i), 'merge', { metadata: { ownerReferences } });
        }
        await cluster.settle();
        let writes = 0;
        cluster.spy.plan = ({ method }) => {
          if (method !== 'GET' && ++writes % failEvery === 0) throw newInternalError(new Error('injected'));
        };
        for (const { which, isForeground, restart } of deleted) {
          await objects.delete(name(which), isForeground ? foreground : {}).catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
          });
          if (!restart) continue;
          await cluster.stopControllers();
          cluster.startControllers();
        }
        await cluster.settle();
        await cluster.advance(20_000, 2000);
        const gone = casualties(
          owners.map((of, i) => of.filter((owner) => owner !== i)),
          deleted.map(({ which }) => which),
        );
        const expected = owners.map((_, i) => name(i)).filter((_, i) => !gone.has(i));
        expect(await names(namespace)).toEqual(expected);
        cluster.spy.plan = () => {};
        const before = cluster.spy.writes.length;
        await cluster.advance(60_000, 20_000);
        expect(cluster.spy.writes.length).toBe(before);
      }),
      { numRuns: 12 },
    );
  }, 60_000);
});
