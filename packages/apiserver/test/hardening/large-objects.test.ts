import { afterAll, beforeAll, expect, it } from 'vitest';
import { inProcessCaller } from '../requests/caller.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { asAdmin } from './clients.ts';

/**
 * Objects of about a megabyte with one list or map of many small items. Code that compares every pair of items, or quotes all items
 * in every error message, needs minutes or all memory for these.
 */
const many = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const entries = (count: number): Record<string, string> => Object.fromEntries(many(count, (i) => [`k${i}`, '1']));

const pods = '/api/v1/namespaces/default/pods';
const container = { name: 'c', image: 'i' };
const pod = (spec: object, metadata: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'x', ...metadata },
  spec: { containers: [container], ...spec },
});
const crd = (schema: object) => ({
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'x' },
  spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] },
});

const pemRequest = (pem: string) => ({
  kind: 'CertificateSigningRequest',
  apiVersion: 'certificates.k8s.io/v1',
  metadata: { name: 'x' },
  spec: { request: Buffer.from(pem).toString('base64'), signerName: 'a.b/c', usages: ['client auth'] },
});
const signingRequests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const cases: Record<string, [path: string, object: object]> = {
  'owners of an object': [
    pods,
    pod({}, { ownerReferences: many(20_000, (i) => ({ apiVersion: 'v1', kind: 'Pod', name: `o${i}`, uid: `u${i}` })) }),
  ],
  'finalizers of an object': [pods, pod({}, { finalizers: many(60_000, (i) => `a.b/${i}`) })],
  'limits of a container': [pods, pod({ containers: [{ ...container, resources: { limits: entries(60_000) } }] })],
  'variables of a container': [
    pods,
    pod({ containers: [{ ...container, env: many(20_000, (i) => ({ name: `a${i}`, value: 'x' })) }] }),
  ],
  'ports of a container': [
    pods,
    pod({ containers: [{ ...container, ports: many(20_000, (i) => ({ containerPort: 1 + i })) }] }),
  ],
  'families of a service': [
    '/api/v1/namespaces/default/services',
    {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'x' },
      spec: { ipFamilies: many(60_000, (i) => `IPv${i}`) },
    },
  ],
  'scopes of a quota': [
    '/api/v1/namespaces/default/resourcequotas',
    {
      kind: 'ResourceQuota',
      apiVersion: 'v1',
      metadata: { name: 'x' },
      spec: { scopes: many(80_000, (i) => `s${i}`) },
    },
  ],
  'usages of a certificate': [
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    {
      kind: 'CertificateSigningRequest',
      apiVersion: 'certificates.k8s.io/v1',
      metadata: { name: 'x' },
      spec: { request: '', signerName: 'a.b/c', usages: many(60_000, (i) => `u${i}`) },
    },
  ],
  'topology keys of a driver': [
    '/apis/storage.k8s.io/v1/csinodes',
    {
      kind: 'CSINode',
      apiVersion: 'storage.k8s.io/v1',
      metadata: { name: 'x' },
      spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: many(60_000, (i) => `k${i}`) }] },
    },
  ],
  'topologies of a class, all the same': [
    '/apis/storage.k8s.io/v1/storageclasses',
    {
      kind: 'StorageClass',
      apiVersion: 'storage.k8s.io/v1',
      metadata: { name: 'x' },
      provisioner: 'p',
      allowedTopologies: many(20_000, () => ({ matchLabelExpressions: [{ key: 'k', values: ['v'] }] })),
    },
  ],
  'exit codes of a rule': [
    '/apis/batch/v1/namespaces/default/jobs',
    {
      kind: 'Job',
      apiVersion: 'batch/v1',
      metadata: { name: 'x' },
      spec: {
        template: { spec: { containers: [container], restartPolicy: 'Never' } },
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: many(500_000, () => 1) } }],
        },
      },
    },
  ],
  'items of a schema': [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    crd({ type: 'object', properties: { a: { type: 'array', items: many(300_000, () => ({})) } } }),
  ],
  'properties of a schema': [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    crd({ type: 'object', properties: Object.fromEntries(many(40_000, (i) => [`p${i}`, { type: 'x' }])) }),
  ],
  'spaces in a line of a certificate request': [
    signingRequests,
    pemRequest(`-----BEGIN CERTIFICATE REQUEST-----${' '.repeat(600_000)}x\nAAAA\n-----END CERTIFICATE REQUEST-----\n`),
  ],
  'ends in a certificate request': [signingRequests, pemRequest(`-----BEGIN A-----\n${'\n-----END '.repeat(60_000)}`)],
  'digits in a duration': [crds, crd({ type: 'string', format: 'duration', default: '9'.repeat(200_000) })],
  'repetitions in a pattern': [crds, crd({ type: 'string', pattern: '(a+)+$', default: `${'a'.repeat(40)}!` })],
};

/** A generous limit for slow machines. Quadratic algorithms take minutes on any machine. */
const maxCpuMs = 10_000;

let running: TestServer;
beforeAll(async () => {
  running = await startTestServer();
});
afterAll(() => running.server.stop());

const ways: Record<string, [method: string, contentType: string, query: string]> = {
  created: ['POST', 'application/json', '?dryRun=All'],
  applied: ['PATCH', 'application/apply-patch+yaml', '/x?dryRun=All&fieldManager=m'],
};

for (const [way, [method, type, query]] of Object.entries(ways)) {
  it.each(Object.entries(cases))(`responses are fast when ${way}: many %s`, async (_, [path, object]) => {
    const call = inProcessCaller(running.server.transport());
    const headers = { ...asAdmin, 'content-type': type };
    const body = Buffer.from(JSON.stringify(object));
    const before = process.cpuUsage();
    const { status } = await call({ method, url: `${path}${query}`, headers, body }, new AbortController().signal);
    const { user, system } = process.cpuUsage(before);
    expect([201, 400, 413, 422]).toContain(status);
    expect((user + system) / 1_000).toBeLessThan(maxCpuMs);
  });
}

it.each([
  ['spaces', `application/json${' '.repeat(120_000)}x`],
  ['clauses', 'a/b,'.repeat(30_000)],
  ['parameters', `application/json${';a=b'.repeat(30_000)}`],
])('responses are fast, also to unauthenticated requests: many %s in a header', async (_, header) => {
  const call = inProcessCaller(running.server.transport());
  const before = process.cpuUsage();
  for (const authorization of [asAdmin.authorization, 'Bearer nobody', '']) {
    const headers = { authorization, accept: header, 'content-type': header };
    for (const method of ['GET', 'POST', 'PATCH'])
      await call({ method, url: pods, headers, body: Buffer.from('{}') }, new AbortController().signal);
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(maxCpuMs);
});
