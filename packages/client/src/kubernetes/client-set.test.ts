import type { Namespace, Pod } from '@coxswain/api/core/v1';
import { groupVersionResources } from '@coxswain/api/resources';
import { describe, expect, it } from 'vitest';
import { RESTClient, type ResourceInterface } from '../rest/index.ts';
import { ClientSet } from './client-set.ts';
import { appsV1, coreV1 } from './index.ts';
import { RecordingTransport } from './recording-transport.test-data.ts';

function recording() {
  const transport = new RecordingTransport();
  return { transport, clients: new ClientSet(new RESTClient(transport)) };
}

/** Looks a resource up by its names at run time, because the test iterates over the table: `core`, `v1`, `pods`. */
function resourceOf(clients: object, ...names: string[]): (namespace?: string) => Partial<ResourceInterface<Pod>> {
  let found: unknown = clients;
  for (const name of names) found = Reflect.get(Object(found), name);
  if (typeof found !== 'function') throw new Error(`there is no ${names.join('.')}`);
  return (namespace) => Reflect.apply(found, clients, [namespace]);
}

describe('ClientSet', () => {
  const { transport, clients } = recording();
  const rows = groupVersionResources.flatMap(({ group, version, resources }) =>
    resources.map((resource) => ({ group, version, ...resource })),
  );

  it.each(rows)('reaches $name of $group/$version', async ({ group, version, name, kind, namespaced, verbs }) => {
    const groupName = group === '' ? 'core' : group.split('.')[0]!;
    const versionClient: object = Reflect.get(Object(Reflect.get(clients, groupName)), version);
    const property = Object.keys(versionClient).find((key) => key.toLowerCase() === name)!;
    const resource = resourceOf(versionClient, property);
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const path = `${root}${namespaced ? '/namespaces/ns' : ''}/${name}`;

    const object = { metadata: { name: 'x' } };
    if (verbs.includes('get')) {
      await resource('ns').get!('x');
      expect(transport.last()).toEqual({ request: `GET ${path}/x` });
    }
    if (verbs.includes('list')) {
      await resource().list!();
      expect(transport.last()).toEqual({ request: `GET ${root}/${name}` });
    }
    if (verbs.includes('create')) {
      await resource('ns').create!(object);
      const apiVersion = group === '' ? version : `${group}/${version}`;
      expect(transport.last()).toMatchObject({ request: `POST ${path}`, body: { apiVersion, kind, ...object } });
    }
  });

  it('has every group version and resource of the table, and no others', () => {
    const groups = new Map<string, Set<string>>();
    for (const { group, version } of groupVersionResources) {
      const name = group === '' ? 'core' : group.split('.')[0]!;
      groups.set(name, (groups.get(name) ?? new Set()).add(version));
    }
    for (const [name, versions] of groups)
      expect(Object.keys(Object(Reflect.get(clients, name)))).toEqual([...versions]);
    const getters = Object.getOwnPropertyNames(Object.getPrototypeOf(ClientSet.prototype));
    expect(getters.filter((name) => name !== 'constructor').sort()).toEqual([...groups.keys()].sort());
    expect(Object.keys(clients.core.v1)).toHaveLength(groupVersionResources[0]!.resources.length);
  });

  it('names resources as client-go does, in camel case', () => {
    expect(Object.keys(clients.storage.v1)).toEqual([
      'csiDrivers',
      'csiNodes',
      'csiStorageCapacities',
      'storageClasses',
      'volumeAttachments',
      'volumeAttributesClasses',
    ]);
    expect(Object.keys(clients.networking.v1)).toEqual([
      'ingressClasses',
      'ingresses',
      'ipAddresses',
      'networkPolicies',
      'serviceCIDRs',
    ]);
    expect(Object.keys(clients.apiregistration.v1)).toEqual(['apiServices']);
    expect(clients.internal.v1alpha1.storageVersions().resource.group).toBe('internal.apiserver.k8s.io');
  });

  it('can be created from a config, with its own RESTClient', async () => {
    const transport = new RecordingTransport();
    await ClientSet.forConfig({ server: 'https://127.0.0.1:6443' }, { transport }).core.v1.nodes().list({ limit: 1 });
    expect(transport.last().request).toBe('GET /api/v1/nodes?limit=1');
  });

  it('creates a group version once, on first access', () => {
    const { clients } = recording();
    expect(Object.keys(clients)).toEqual(['rest']);
    expect(clients.apps.v1).toBe(clients.apps.v1);
    expect(Object.keys(clients)).toEqual(['rest', 'apps']);
  });

  it('has no namespace for cluster-scoped resources and for all namespaces', () => {
    expect(clients.core.v1.nodes().namespace).toBeUndefined();
    expect(clients.core.v1.pods('').namespace).toBeUndefined();
    expect(clients.core.v1.pods().namespace).toBeUndefined();
    expect(clients.core.v1.pods('ns').namespace).toBe('ns');
  });

  it('can be replaced by the function of a single group version', async () => {
    const transport = new RecordingTransport();
    const rest = new RESTClient(transport);
    await appsV1(rest).deployments('ns').get('web');
    expect(transport.last().request).toBe('GET /apis/apps/v1/namespaces/ns/deployments/web');
    await coreV1(rest).secrets('ns').delete('s');
    expect(transport.last().request).toBe('DELETE /api/v1/namespaces/ns/secrets/s');
  });
});

describe('the methods of subresources', () => {
  const { transport, clients } = recording();
  const pods = clients.core.v1.pods('ns');
  const deployments = clients.apps.v1.deployments('ns');
  const requests = clients.certificates.v1.certificateSigningRequests();
  const pod: Pod = { metadata: { name: 'p' } };
  const namespace: Namespace = { metadata: { name: 'n' }, spec: { finalizers: [] } };
  const csr = { metadata: { name: 'c' }, spec: { request: '', signerName: 's', usages: [] } };
  const scale = { metadata: { name: 'd' }, spec: { replicas: 3 } };
  const by = { fieldManager: 'me' };
  const podPath = '/api/v1/namespaces/ns/pods/p';
  const deploymentPath = '/apis/apps/v1/namespaces/ns/deployments/d';
  const csrPath = '/apis/certificates.k8s.io/v1/certificatesigningrequests/c';
  const json = 'application/json';
  const mergePatch = 'application/merge-patch+json';
  const applyPatch = 'application/apply-patch+yaml';
  const podType = { apiVersion: 'v1', kind: 'Pod' };
  const scaleType = { apiVersion: 'autoscaling/v1', kind: 'Scale' };
  const csrType = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' };

  const cases: Record<string, { call: () => Promise<unknown>; sends: ReturnType<RecordingTransport['last']> }> = {
    'status is read': { call: () => pods.getStatus('p'), sends: { request: `GET ${podPath}/status` } },
    'status is replaced': {
      call: () => pods.updateStatus(pod, { dryRun: ['All'] }),
      sends: { request: `PUT ${podPath}/status?dryRun=All`, contentType: json, body: { ...podType, ...pod } },
    },
    'status is patched': {
      call: () => pods.patchStatus('p', 'merge', { status: { phase: 'Running' } }),
      sends: { request: `PATCH ${podPath}/status`, contentType: mergePatch, body: { status: { phase: 'Running' } } },
    },
    'status is applied': {
      call: () => pods.applyStatus({ ...pod, metadata: { name: 'p' } }, { ...by, force: true }),
      sends: {
        request: `PATCH ${podPath}/status?fieldManager=me&force=true`,
        contentType: applyPatch,
        body: { ...podType, ...pod },
      },
    },
    'ephemeral containers are read': {
      call: () => pods.getEphemeralContainers('p'),
      sends: { request: `GET ${podPath}/ephemeralcontainers` },
    },
    'ephemeral containers are replaced': {
      call: () => pods.updateEphemeralContainers('p', pod),
      sends: { request: `PUT ${podPath}/ephemeralcontainers`, contentType: json, body: { ...podType, ...pod } },
    },
    'ephemeral containers are patched': {
      call: () => pods.patchEphemeralContainers('p', 'strategic-merge', { spec: { ephemeralContainers: [] } }),
      sends: {
        request: `PATCH ${podPath}/ephemeralcontainers`,
        contentType: 'application/strategic-merge-patch+json',
        body: { spec: { ephemeralContainers: [] } },
      },
    },
    'ephemeral containers are applied': {
      call: () => pods.applyEphemeralContainers('p', {}, by),
      sends: {
        request: `PATCH ${podPath}/ephemeralcontainers?fieldManager=me`,
        contentType: applyPatch,
        body: { ...podType, ...pod },
      },
    },
    'resize is read': { call: () => pods.getResize('p'), sends: { request: `GET ${podPath}/resize` } },
    'resize is replaced': {
      call: () => pods.updateResize('p', pod),
      sends: { request: `PUT ${podPath}/resize`, contentType: json, body: { ...podType, ...pod } },
    },
    'resize is patched': {
      call: () => pods.patchResize('p', 'json', [{ op: 'remove', path: '/spec' }]),
      sends: {
        request: `PATCH ${podPath}/resize`,
        contentType: 'application/json-patch+json',
        body: [{ op: 'remove', path: '/spec' }],
      },
    },
    'resize is applied': {
      call: () => pods.applyResize('p', pod, by),
      sends: {
        request: `PATCH ${podPath}/resize?fieldManager=me`,
        contentType: applyPatch,
        body: { ...podType, ...pod },
      },
    },
    'a pod is evicted': {
      call: () => pods.evict('p'),
      sends: {
        request: `POST ${podPath}/eviction`,
        contentType: json,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } },
      },
    },
    'a pod is evicted with options': {
      call: () => pods.evict('p', { deleteOptions: { gracePeriodSeconds: 5 } }, { dryRun: ['All'] }),
      sends: {
        request: `POST ${podPath}/eviction?dryRun=All`,
        contentType: json,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'p' },
          deleteOptions: { gracePeriodSeconds: 5 },
        },
      },
    },
    'a pod is bound': {
      call: () => pods.bind('p', { target: { kind: 'Node', name: 'n' } }),
      sends: {
        request: `POST ${podPath}/binding`,
        contentType: json,
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
      },
    },
    'logs are read': {
      call: () => pods.getLogs('p', { container: 'c', follow: true, tailLines: 5 }),
      sends: { request: `GET ${podPath}/log?container=c&follow=true&tailLines=5` },
    },
    'a request is sent to a pod through the proxy': {
      call: () => pods.proxy('p', '/metrics/a b', { port: 8080, query: { signal: '1', q: ['2', '3'] } }),
      sends: { request: `GET /api/v1/namespaces/ns/pods/p%3A8080/proxy/metrics/a%20b?signal=1&q=2&q=3` },
    },
    'a request is sent to a service through the proxy with https': {
      call: () => clients.core.v1.services('ns').proxy('s', 'x', { method: 'POST', scheme: 'https', body: { a: 1 } }),
      sends: {
        request: 'POST /api/v1/namespaces/ns/services/https%3As%3A/proxy/x',
        contentType: json,
        body: { a: 1 },
      },
    },
    'a request is sent to a node through the proxy': {
      call: () => clients.core.v1.nodes().proxy('n'),
      sends: { request: 'GET /api/v1/nodes/n/proxy' },
    },
    'a token is created': {
      call: () => clients.core.v1.serviceAccounts('ns').createToken('sa', { spec: { audiences: ['a'] } }),
      sends: {
        request: 'POST /api/v1/namespaces/ns/serviceaccounts/sa/token',
        contentType: json,
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: { name: 'sa' },
          spec: { audiences: ['a'] },
        },
      },
    },
    'a namespace is finalized': {
      call: () => clients.core.v1.namespaces().finalize(namespace),
      sends: {
        request: 'PUT /api/v1/namespaces/n/finalize',
        contentType: json,
        body: { apiVersion: 'v1', kind: 'Namespace', ...namespace },
      },
    },
    'scale is read': { call: () => deployments.getScale('d'), sends: { request: `GET ${deploymentPath}/scale` } },
    'scale is replaced': {
      call: () => deployments.updateScale('d', scale),
      sends: { request: `PUT ${deploymentPath}/scale`, contentType: json, body: { ...scaleType, ...scale } },
    },
    'scale is patched': {
      call: () => deployments.patchScale('d', 'merge', { spec: { replicas: 3 } }),
      sends: { request: `PATCH ${deploymentPath}/scale`, contentType: mergePatch, body: { spec: { replicas: 3 } } },
    },
    'scale is applied': {
      call: () => deployments.applyScale('d', { spec: { replicas: 3 } }, by),
      sends: {
        request: `PATCH ${deploymentPath}/scale?fieldManager=me`,
        contentType: applyPatch,
        body: { ...scaleType, ...scale },
      },
    },
    'approval is read': { call: () => requests.getApproval('c'), sends: { request: `GET ${csrPath}/approval` } },
    'approval is replaced': {
      call: () => requests.updateApproval('c', csr),
      sends: { request: `PUT ${csrPath}/approval`, contentType: json, body: { ...csrType, ...csr } },
    },
    'approval is patched': {
      call: () => requests.patchApproval('c', 'merge', { status: {} }),
      sends: { request: `PATCH ${csrPath}/approval`, contentType: mergePatch, body: { status: {} } },
    },
    'approval is applied': {
      call: () => requests.applyApproval('c', { status: {} }, by),
      sends: {
        request: `PATCH ${csrPath}/approval?fieldManager=me`,
        contentType: applyPatch,
        body: { ...csrType, metadata: { name: 'c' }, status: {} },
      },
    },
  };
  it.each(Object.entries(cases))('%s', async (_sentence, { call, sends }) => {
    await call();
    expect(transport.last()).toEqual(sends);
  });

  it('are missing when the resource does not serve the subresource', () => {
    expect('getScale' in clients.apps.v1.daemonSets('ns')).toBe(false);
    expect('evict' in clients.apps.v1.deployments('ns')).toBe(false);
    expect('getStatus' in clients.core.v1.configMaps('ns')).toBe(false);
  });

  it('reject an empty name, which would address another resource', async () => {
    await expect(pods.evict('')).rejects.toThrow('resource name may not be empty');
    await expect(pods.getLogs('')).rejects.toThrow('resource name may not be empty');
    await expect(pods.proxy('')).rejects.toThrow('resource name may not be empty');
    await expect(pods.updateStatus({ metadata: {} })).rejects.toThrow('resource name may not be empty');
  });

  it('reject a path that leaves the proxy', async () => {
    await expect(pods.proxy('p', 'a/../../../secrets')).rejects.toThrow("may not contain '.' or '..'");
  });

  it('exist for every subresource of the table except those that stream in both directions', () => {
    for (const { group, version, resources } of groupVersionResources)
      for (const { name, subresources = [] } of resources) {
        const groupClient = Reflect.get(clients, group === '' ? 'core' : group.split('.')[0]!);
        const versionClient = Object(Reflect.get(groupClient, version));
        const property = Object.keys(versionClient).find((key) => key.toLowerCase() === name)!;
        const client = resourceOf(versionClient, property)('ns');
        for (const subresource of subresources) {
          if (['attach', 'exec', 'portforward'].includes(subresource.name)) continue;
          const special: Record<string, string> = {
            binding: 'bind',
            eviction: 'evict',
            finalize: 'finalize',
            log: 'getLogs',
            proxy: 'proxy',
            token: 'createToken',
          };
          const expected = special[subresource.name]
            ? [special[subresource.name]!]
            : subresource.verbs.split(' ').map((verb) => `${verb}${subresource.name}`);
          const methods = methodsOf(client).map((method) => method.toLowerCase());
          expect(methods).toEqual(expect.arrayContaining(expected.map((method) => method.toLowerCase())));
        }
      }
  });
});

function methodsOf(client: object): string[] {
  const names: string[] = [];
  for (let at = client; at !== Object.prototype; at = Object.getPrototypeOf(at)) names.push(...Object.keys(at));
  return names;
}
