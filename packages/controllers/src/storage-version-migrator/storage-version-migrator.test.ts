import { newBadRequest, newServiceUnavailable } from '@coxswain/apimachinery/errors';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { createWidgetDefinition, widgets, widgetVersions } from '../../test/widgets.ts';
import { storageVersionMigratorController } from './index.ts';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await TestCluster.start({
    controllers: [storageVersionMigratorController],
    server: {
      memory: true,
      disableAdmissionPlugins: ['ServiceAccount'],
      runtimeConfig: new Map([['storagemigration.k8s.io/v1beta1', 'true']]),
      featureGates: ['StorageVersionMigrator=true'],
    },
  });
});
afterEach(() => cluster.stop());

const definitions = () => cluster.clients.apiextensions.v1.customResourceDefinitions();
const migrations = () => cluster.clients.storagemigration.v1beta1.storageVersionMigrations();

async function createWidgets(): Promise<void> {
  await createWidgetDefinition(cluster, ['v1', 'v2']);
  for (const name of ['a', 'b']) await widgets(cluster).create({ metadata: { name }, spec: { size: 1 } });
  await definitions().patch('widgets.example.com', 'merge', { spec: { versions: widgetVersions(['v1', 'v2'], 'v2') } });
  await cluster.until(async () => (await definitions().get('widgets.example.com')).status?.storedVersions?.[1]);
  await cluster.advance(30_000);
}

const ask = (name: string, resource: { group: string; resource: string }) =>
  migrations().create({ metadata: { name }, spec: { resource } });
const conditions = async (name: string) =>
  (await migrations().get(name)).status?.conditions?.map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );
const migrating = async () =>
  (await definitions().get('widgets.example.com')).status?.conditions
    ?.filter(({ type }) => type === 'StorageMigrating')
    .map(({ status, reason, message }) => `${status} ${reason}: ${message}`);

/** Creates an object, because only events tell the cache that it is up to date. */
const later = async (): Promise<void> => {
  await widgets(cluster, 'default', 'v2').create({ metadata: { generateName: 'later-' }, spec: { size: 2 } });
  await cluster.settle();
  await cluster.advance(10_000, 1000);
};

it('rewrites all objects and removes the old stored version', async () => {
  await createWidgets();
  const before = await widgets(cluster, 'default', 'v2').get('a');
  await ask('m', { group: 'example.com', resource: 'widgets' });
  await cluster.settle();
  expect(await conditions('m')).toEqual(['Running=True MigrationRunning: The migration is running']);
  expect(await migrating()).toEqual(['True MigrationRunning: Migration m is running']);
  await later();
  expect(await conditions('m')).toEqual([
    'Running=False MigrationCompleted: Migration completed',
    'Succeeded=True StorageVersionMigrationSucceeded: ',
  ]);
  expect(await migrating()).toEqual([
    'False MigrationSucceeded: The migration has succeeded and the stored versions have been updated',
  ]);
  expect((await definitions().get('widgets.example.com')).status?.storedVersions).toEqual(['v2']);
  const after = await widgets(cluster, 'default', 'v2').get('a');
  expect(after.spec).toEqual(before.spec);
  expect(after.metadata!.resourceVersion).not.toBe(before.metadata!.resourceVersion);
  const applied = cluster.spy.writes.filter(({ url }) => url.includes('/widgets/'));
  expect(applied.map(({ url }) => url.split('?')[0]!.split('/').at(-1)).sort()).toEqual(['a', 'b']);
});

it('keeps the stored versions when the definition has changed meanwhile', async () => {
  await createWidgets();
  await ask('m', { group: 'example.com', resource: 'widgets' });
  await cluster.settle();
  await definitions().patch('widgets.example.com', 'merge', { spec: { names: { shortNames: ['w'] } } });
  await later();
  expect(await migrating()).toEqual([
    'False MigrationSucceeded: The migration has succeeded but the stored versions have not been updated due to a generation mismatch',
  ]);
  expect((await definitions().get('widgets.example.com')).status?.storedVersions).toEqual(['v1', 'v2']);
});

it('runs one migration of a resource at a time, the oldest first', async () => {
  await createWidgets();
  await ask('b', { group: 'example.com', resource: 'widgets' });
  await cluster.settle();
  await ask('a', { group: 'example.com', resource: 'widgets' });
  await cluster.settle();
  expect(await conditions('a')).toBeUndefined();
  await later();
  await later();
  expect((await conditions('a'))?.at(-1)).toBe('Succeeded=True StorageVersionMigrationSucceeded: ');
});

it('retries temporary errors and fails on others', async () => {
  await createWidgets();
  let isPassing = true;
  cluster.spy.plan = ({ method, url }) => {
    if (method !== 'PATCH' || !url.includes('/widgets/b')) return;
    if (isPassing) {
      isPassing = false;
      throw newServiceUnavailable('injected');
    }
    throw newBadRequest('injected for good');
  };
  await ask('m', { group: 'example.com', resource: 'widgets' });
  await cluster.settle();
  await later();
  expect(isPassing).toBe(false);
  expect(await conditions('m')).toEqual([
    'Running=False MigrationCompleted: Migration completed',
    'Failed=True StorageVersionMigrationFailed: migration encountered unhandled error: injected for good',
  ]);
  expect(await migrating()).toEqual(['False MigrationFailed: The migration has failed']);
});

it('waits a minute for an unknown resource', async () => {
  await ask('m', { group: 'example.com', resource: 'gadgets' });
  await cluster.settle();
  expect(await conditions('m')).toEqual(['Running=True MigrationRunning: The migration is running']);
  await cluster.advance(59_000, 10_000);
  expect(await conditions('m')).toHaveLength(1);
  await cluster.advance(100_000, 10_000);
  expect((await conditions('m'))?.[1]).toBe(
    'Failed=True StorageVersionMigrationFailed: resource does not exist in discovery',
  );
});

it('rejects resources that cannot be rewritten', async () => {
  await ask('m', { group: '', resource: 'componentstatuses' });
  await cluster.settle();
  expect((await conditions('m'))?.[1]).toBe(
    'Failed=True StorageVersionMigrationFailed: resource "/v1, Resource=componentstatuses" does not support discovery operations: [update patch list]',
  );
});
