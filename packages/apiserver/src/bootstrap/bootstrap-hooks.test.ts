import { readFileSync } from 'node:fs';
import type { Lease } from '@coxswain/api/coordination/v1';
import type { ConfigMap, Endpoints, Namespace, Service } from '@coxswain/api/core/v1';
import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import type { FlowSchema, PriorityLevelConfiguration } from '@coxswain/api/flowcontrol/v1';
import type { ServiceCIDR } from '@coxswain/api/networking/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';
import { systemClock } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCluster } from '../services/fake-cluster.test-data.ts';
import { newServiceAllocation, PortRange } from '../services/index.ts';
import { type BootstrapOptions, bootstrapHooks } from './bootstrap-hooks.ts';
import type { PostStartHook } from './post-start-hook.ts';

/** The objects of a kube-apiserver v1.36.4 after its first start, without fields that differ between starts. */
const fresh = JSON.parse(readFileSync(new URL('testdata/fresh-server.json', import.meta.url), 'utf8')) as Record<
  string,
  KubernetesObject[]
>;

const volatile = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'lastTransitionTime', 'renewTime']);
/** Upstream's objects have empty statuses, which the hooks do not write. */
const emptyStatus = new Set(['{}', '{"loadBalancer":{}}']);
const stable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      volatile.has(key) || (key === 'status' && emptyStatus.has(JSON.stringify(inner))) ? undefined : inner,
    ),
  );

let cluster: FakeCluster;
let reports: string[];
let aborts: AbortController[];

beforeEach(() => {
  cluster = new FakeCluster();
  cluster.now = new Date('2026-11-15T11:27:04Z');
  reports = [];
  aborts = [];
});

afterEach(() => {
  for (const abort of aborts) abort.abort();
  expect(reports).toEqual([]);
});

const clientCA = (fresh.configmaps![0] as ConfigMap).data!['client-ca-file']!;

async function startServer(options: Partial<BootstrapOptions> = {}): Promise<PostStartHook[]> {
  const abort = new AbortController();
  aborts.push(abort);
  const context = {
    client: cluster,
    listers: cluster,
    store: cluster.store,
    storePrefix: '/registry',
    now: () => cluster.now,
    clock: systemClock,
    logger: recordLogs({ onLine: (line) => reports.push(line) }).logger,
  };
  const allocation = newServiceAllocation({ ...context, nodePortRange: PortRange.parse('30000-32767') });
  cluster.hooks.set('services', allocation.hooks);
  const hooks = bootstrapHooks(context, {
    serviceCIDRs: ['10.96.0.0/16'],
    allocation,
    advertiseAddress: '192.0.2.2',
    securePort: 16444,
    hostname: 'vm',
    instanceId: 'instance',
    authentication: () => ({ clientCA }),
    servedGroupVersions: fresh['apiservices.apiregistration.k8s.io']!.map(({ metadata }) => {
      const [version = '', ...group] = metadata!.name!.split('.');
      return { version, group: group.join('.') };
    }),
    ...options,
  });
  await Promise.all(hooks.map((hook) => hook.start(abort.signal)));
  await new Promise(setImmediate);
  return hooks;
}

const stopServer = (hooks: PostStartHook[]): Promise<unknown> => Promise.all(hooks.map((hook) => hook.stop?.()));
const addressesOf = ({ subsets }: Endpoints): (string | undefined)[] =>
  (subsets ?? []).flatMap(({ addresses }) => (addresses ?? []).map(({ ip }) => ip));
const endpoints = () => cluster.lister<Endpoints>('', 'endpoints').get('default', 'kubernetes')!;
const slice = () => cluster.lister<EndpointSlice>('discovery.k8s.io', 'endpointslices').get('default', 'kubernetes')!;

describe('the first start', () => {
  it.each(Object.keys(fresh))('provides the %s that upstream has', async (key) => {
    await startServer();
    const [resource = '', ...group] = key.split('.');
    expect(stable(cluster.resource(group.join('.'), resource).list())).toEqual(stable(fresh[key]));
  });

  it('has hooks with the names that upstream has', async () => {
    expect((await startServer()).map(({ name }) => name).toSorted()).toEqual([
      'bootstrap-controller',
      'kube-apiserver-autoregistration',
      'priority-and-fairness-config-consumer',
      'priority-and-fairness-config-producer',
      'scheduling/bootstrap-system-priority-classes',
      'start-cluster-authentication-info-controller',
      'start-kube-apiserver-identity-lease-controller',
      'start-kube-apiserver-identity-lease-garbage-collector',
      'start-kubernetes-service-cidr-controller',
      'start-legacy-token-tracking-controller',
      'start-service-ip-repair-controllers',
      'start-system-namespaces-controller',
    ]);
  });

  it('may be made by two servers at once', async () => {
    await Promise.all([startServer(), startServer({ advertiseAddress: '192.0.2.3', hostname: 'other' })]);
    // Only one create can get the Service's cluster IP.
    expect(reports.splice(0).filter((report) => !report.includes('provided IP is already allocated'))).toEqual([]);
    for (const [key, objects] of Object.entries(fresh)) {
      const [resource = '', ...group] = key.split('.');
      const names = cluster
        .resource(group.join('.'), resource)
        .list()
        .map(({ metadata }) => metadata?.name);
      if (resource === 'leases') expect(names).toHaveLength(2);
      else expect(names).toEqual(objects.map(({ metadata }) => metadata?.name));
    }
  });

  it('is retried when it fails', async () => {
    let failures = 3;
    cluster.fail = (write) =>
      write.startsWith('create namespaces') && failures-- > 0 ? new Error('no room') : undefined;
    await startServer();
    expect(cluster.lister<Namespace>('', 'namespaces').list()).toHaveLength(4);
    expect(reports.splice(0)).toEqual(['error "unable to create required kubernetes system Namespaces" err="no room"']);
  });
});

describe('a later start', () => {
  it('writes nothing but the identity lease', async () => {
    await startServer();
    aborts[0]!.abort();
    cluster.writes.length = 0;
    await startServer();
    expect(cluster.writes).toEqual(['update leases apiserver-wlv32tlttr4jl3gtroqexyxapa']);
  });

  it('keeps changes of users, except to mandatory objects', async () => {
    await startServer();
    const levels = cluster.lister<PriorityLevelConfiguration>(
      'flowcontrol.apiserver.k8s.io',
      'prioritylevelconfigurations',
    );
    const schemas = cluster.lister<FlowSchema>('flowcontrol.apiserver.k8s.io', 'flowschemas');
    const shares = (name: string) => levels.get('', name)?.spec?.limited?.nominalConcurrencyShares;
    const change = (name: string, annotation?: string) => {
      const { metadata, spec, ...rest } = structuredClone(levels.get('', name)!);
      if (annotation) metadata.annotations!['apf.kubernetes.io/autoupdate-spec'] = annotation;
      spec!.limited!.nominalConcurrencyShares = 77;
      cluster.put('flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations', { ...rest, metadata, spec });
    };
    change('system', 'false');
    change('workload-low');
    change('catch-all', 'false');
    const old = structuredClone(schemas.get('', 'probes')!);
    old.metadata.name = 'of-an-older-version';
    cluster.put('flowcontrol.apiserver.k8s.io', 'flowschemas', old);
    cluster.put('flowcontrol.apiserver.k8s.io', 'flowschemas', {
      ...old,
      metadata: { name: 'own' },
      spec: { ...old.spec!, priorityLevelConfiguration: { name: 'none' } },
    });
    await startServer();
    expect(['system', 'workload-low', 'catch-all'].map(shares)).toEqual([77, 100, 5]);
    expect(levels.get('', 'catch-all')?.metadata.annotations).toEqual({ 'apf.kubernetes.io/autoupdate-spec': 'true' });
    expect(schemas.get('', 'of-an-older-version')).toBeUndefined();
    expect(schemas.get('', 'own')?.status?.conditions).toMatchObject([
      {
        type: 'Dangling',
        status: 'True',
        reason: 'NotFound',
        message:
          'This FlowSchema references the PriorityLevelConfiguration object named "none" but there is no such object',
      },
    ]);
  });

  it('removes the APIServices of versions that are no longer served', async () => {
    await startServer();
    await startServer({
      servedGroupVersions: [
        { group: 'apps', version: 'v1' },
        { group: 'example.com', version: 'v1' },
      ],
    });
    const names = cluster
      .lister('apiregistration.k8s.io', 'apiservices')
      .list()
      .map(({ metadata }) => metadata?.name);
    expect(names).toEqual(['v1.apps']);
  });

  it('adds a second family to the default ServiceCIDR, and logs when its ranges differ from the flags', async () => {
    await startServer();
    await startServer({ serviceCIDRs: ['10.96.0.0/16', 'fd00:10:96::/112'] });
    const get = () => cluster.lister<ServiceCIDR>('networking.k8s.io', 'servicecidrs').get('', 'kubernetes');
    expect(get()?.spec?.cidrs).toEqual(['10.96.0.0/16', 'fd00:10:96::/112']);
    await startServer({ serviceCIDRs: ['10.97.0.0/16'] });
    expect(get()?.spec?.cidrs).toEqual(['10.96.0.0/16', 'fd00:10:96::/112']);
    expect(reports.splice(0)).toEqual([
      'warning "Default ServiceCIDR does not match the flags of this server" serviceCIDR=["10.96.0.0/16","fd00:10:96::/112"] flags=["10.97.0.0/16"]',
    ]);
  });

  it('removes expired identity leases', async () => {
    await startServer({ hostname: 'gone' });
    cluster.now = new Date(cluster.now.getTime() + 3601_000);
    await startServer();
    const leases = cluster.lister<Lease>('coordination.k8s.io', 'leases').list();
    expect(leases.map(({ metadata }) => metadata.labels?.['kubernetes.io/hostname'])).toEqual(['vm']);
  });
});

describe('a flow schema', () => {
  it('gets its Dangling condition updated at once when its priority level is deleted or created', async () => {
    await startServer();
    const group = 'flowcontrol.apiserver.k8s.io';
    const condition = () => cluster.lister<FlowSchema>(group, 'flowschemas').get('', 'probes')?.status?.conditions?.[0];
    const level = cluster.lister<PriorityLevelConfiguration>(group, 'prioritylevelconfigurations').get('', 'exempt')!;
    await cluster.delete(group, 'prioritylevelconfigurations', '', 'exempt');
    await new Promise(setImmediate);
    expect(condition()).toMatchObject({ status: 'True', reason: 'NotFound' });
    cluster.put(group, 'prioritylevelconfigurations', level);
    await new Promise(setImmediate);
    expect(condition()).toMatchObject({ status: 'False', reason: 'Found' });
  });
});

describe('the kubernetes service', () => {
  it('has the endpoints of all running servers', async () => {
    const first = await startServer();
    expect(cluster.store.entries.get('/registry/masterleases/192.0.2.2')?.ttlSeconds).toBe(15);
    const second = await startServer({ advertiseAddress: '192.0.2.3', hostname: 'other' });
    expect(addressesOf(endpoints())).toEqual(['192.0.2.2', '192.0.2.3']);
    expect(slice().endpoints?.map(({ addresses }) => addresses)).toEqual([['192.0.2.2'], ['192.0.2.3']]);
    await stopServer(first);
    expect(addressesOf(endpoints())).toEqual(['192.0.2.3']);
    await stopServer(second);
    expect([addressesOf(endpoints()), slice().endpoints]).toEqual([[], []]);
    expect([...cluster.store.entries.keys()].filter((key) => key.includes('masterleases'))).toEqual([]);
    expect(cluster.lister('coordination.k8s.io', 'leases').list()).toEqual([]);
  });

  it('loses the endpoints of a server whose lease expired', async () => {
    await startServer();
    aborts[0]!.abort();
    cluster.store.expireAll();
    await startServer({ advertiseAddress: '192.0.2.3', hostname: 'other' });
    expect(addressesOf(endpoints())).toEqual(['192.0.2.3']);
  });

  it('has no endpoints before the server is ready', async () => {
    let setReady = (): void => {};
    await startServer({
      ready: new Promise((resolve) => {
        setReady = resolve;
      }),
    });
    expect(endpoints()).toBeUndefined();
    setReady();
    await new Promise(setImmediate);
    expect(addressesOf(endpoints())).toEqual(['192.0.2.2']);
  });

  it('has the IP family of the first range', async () => {
    cluster.serviceIPFamilies = ['IPv6', 'IPv4'];
    await startServer({ serviceCIDRs: ['fd00:10:96::/112', '10.96.0.0/16'], advertiseAddress: '2001:db8::2' });
    const { spec } = cluster.lister<Service>('', 'services').get('default', 'kubernetes')!;
    expect([spec?.clusterIPs, slice().addressType]).toEqual([['fd00:10:96::1'], 'IPv6']);
    expect(cluster.lister<Lease>('coordination.k8s.io', 'leases').list()[0]?.metadata.annotations).toEqual({
      'kubernetes.io/peer-advertise-address': '[2001:db8::2]:16444',
    });
  });

  it('has the node port of --kubernetes-service-node-port', async () => {
    await startServer({ kubernetesServiceNodePort: 30443 });
    const { spec } = cluster.lister<Service>('', 'services').get('default', 'kubernetes')!;
    expect(spec).toMatchObject({ type: 'NodePort', ports: [{ nodePort: 30443 }] });
  });
});

describe('the ConfigMap extension-apiserver-authentication', () => {
  const requestHeader = {
    clientCA,
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: [],
    groupHeaders: ['X-Remote-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-'],
    allowedNames: ['front-proxy-client'],
  };
  const data = () =>
    cluster.lister<ConfigMap>('', 'configmaps').get('kube-system', 'extension-apiserver-authentication')?.data;

  it('has the CA and the headers of the front proxy', async () => {
    await startServer({ authentication: () => ({ requestHeader }) });
    expect(data()).toEqual({
      'requestheader-client-ca-file': clientCA,
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-allowed-names': '["front-proxy-client"]',
    });
  });

  it('merges the data of all servers, without duplicates', async () => {
    await startServer({ authentication: () => ({ clientCA: `${clientCA}${clientCA}`, requestHeader }) });
    await startServer({
      authentication: () => ({
        requestHeader: { ...requestHeader, uidHeaders: ['X-Remote-Uid'], allowedNames: ['a', 'front-proxy-client'] },
      }),
    });
    expect(data()).toMatchObject({
      'client-ca-file': clientCA,
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-allowed-names': '["front-proxy-client","a"]',
    });
  });

  it('drops expired certificates', async () => {
    await startServer();
    cluster.now = new Date('2036-11-12T11:32:02Z');
    await startServer({ authentication: () => ({}) });
    expect(data()).toBeUndefined();
  });
});
