import type { ServerStorageVersion, StorageVersionStatus } from '@coxswain/api/apiserverinternal/v1alpha1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { withServers } from './common-encoding-version.ts';
import { storageVersionGarbageCollectorController } from './index.ts';

const server = (apiServerID: string, encodingVersion: string): ServerStorageVersion => ({
  apiServerID,
  encodingVersion,
  decodableVersions: ['v1', 'v2'],
});

describe('the common encoding version', () => {
  const [before, now] = ['2024-01-01T00:00:00Z', '2024-02-02T00:00:00Z'];
  const status = (commonEncodingVersion: string | undefined, lastTransitionTime: string): StorageVersionStatus => ({
    ...(commonEncodingVersion !== undefined && { commonEncodingVersion }),
    conditions: [
      {
        type: 'AllEncodingVersionsEqual',
        status: commonEncodingVersion === undefined ? 'False' : 'True',
        lastTransitionTime,
        reason: commonEncodingVersion === undefined ? 'CommonEncodingVersionUnset' : 'CommonEncodingVersionSet',
        message: `Common encoding version ${commonEncodingVersion === undefined ? 'unset' : 'set'}`,
      },
    ],
  });

  it.each<[string, string[], StorageVersionStatus, string | undefined, string]>([
    ['is new', ['v1', 'v1'], {}, 'v1', now],
    ['does not exist', ['v1', 'v2'], {}, undefined, now],
    ['is unchanged', ['v1'], status('v1', before), 'v1', before],
    ['still does not exist', ['v1', 'v2'], status(undefined, before), undefined, before],
    ['appears', ['v2'], status(undefined, before), 'v2', now],
    ['disappears', ['v1', 'v2'], status('v1', before), undefined, now],
    ['changes', ['v2'], status('v1', before), 'v2', now],
  ])('%s', (_, versions, old, common, time) => {
    const servers = versions.map((version, index) => server(`s${index}`, version));
    const written = withServers({ metadata: {}, status: old }, servers, Date.parse(now));
    expect(written.status).toEqual({ ...status(common, time), storageVersions: servers });
  });
});

describe('StorageVersions', () => {
  let cluster: TestCluster;
  const versions = () => cluster.clients.internal.v1alpha1.storageVersions();
  const leases = () => cluster.clients.coordination.v1.leases('kube-system');

  beforeEach(async () => {
    cluster = await TestCluster.start({
      controllers: [storageVersionGarbageCollectorController],
      server: {
        memory: true,
        runtimeConfig: new Map([['internal.apiserver.k8s.io/v1alpha1', 'true']]),
        featureGates: ['StorageVersionAPI=true'],
      },
    });
    for (const name of ['one', 'two']) await createLease(name, 'kube-apiserver');
    return () => cluster.stop();
  }, 60_000);

  const createLease = (name: string, component: string) =>
    leases().create({ metadata: { name, labels: { 'apiserver.kubernetes.io/identity': component } }, spec: {} });

  async function create(...storageVersions: ServerStorageVersion[]): Promise<void> {
    const created = await versions().create({ metadata: { name: 'example.com.things' }, spec: {} });
    await versions().updateStatus(withServers(created, storageVersions, cluster.clock.now()));
    await cluster.settle();
  }
  const servers = async (): Promise<string[] | undefined> => {
    const [found] = (await versions().list()).items;
    return found?.status?.storageVersions?.map(({ apiServerID }) => apiServerID);
  };
  const writes = () => cluster.spy.writes.map(({ method }) => method);

  it('lose a server whose lease is deleted, and are deleted with the last one', async () => {
    await create(server('one', 'v1'), server('two', 'v2'));
    expect(await servers()).toEqual(['one', 'two']);
    expect(writes()).toEqual([]);
    await leases().delete('one');
    await cluster.settle();
    expect((await versions().get('example.com.things')).status).toMatchObject({
      storageVersions: [server('two', 'v2')],
      commonEncodingVersion: 'v2',
      conditions: [
        {
          type: 'AllEncodingVersionsEqual',
          status: 'True',
          reason: 'CommonEncodingVersionSet',
          message: 'Common encoding version set',
        },
      ],
    });
    await leases().delete('two');
    await cluster.settle();
    expect(await servers()).toBeUndefined();
    expect(writes()).toEqual(['PUT', 'DELETE']);
  });

  it('lose servers without a lease or with a lease of another component', async () => {
    await createLease('cox', 'something-else');
    await create(server('gone', 'v1'), server('cox', 'v1'), server('two', 'v2'));
    expect(await servers()).toEqual(['two']);
  });

  it('ignore other leases', async () => {
    await createLease('cox', 'something-else');
    await create(server('one', 'v1'));
    await leases().delete('cox');
    await cluster.settle();
    expect(writes()).toEqual([]);
  });

  it('keep a server whose lease cannot be read, and lose those deleted while the controller was stopped', async () => {
    await create(server('one', 'v1'), server('two', 'v1'));
    await cluster.stopControllers();
    await leases().delete('one');
    let failures = 2;
    cluster.spy.plan = ({ url }) => {
      if (url.includes('/leases/two') && failures-- > 0) throw newInternalError(new Error('no'));
    };
    cluster.startControllers();
    await cluster.settle();
    expect(await servers()).toEqual(['one', 'two']);
    await cluster.advance(1000, 100);
    expect(await servers()).toEqual(['two']);
  });
});
