import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcessCaller } from '../requests/caller.ts';
import { startTestServer, type TestServer, tokens } from '../test-server.ts';
import { asAdmin } from './clients.ts';

/** Objects with many items: cheap to validate, but expensive for a plug-in that compares every pair of items. */
const many = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const namespace = '/api/v1/namespaces/busy';
const container = (i: number) => ({
  name: `c${i}`,
  image: 'i',
  resources: { requests: { cpu: '1m', memory: '1Mi' }, limits: { cpu: '2', [`example.com/r${i}`]: '1' } },
});
const owner = (i: number) => ({
  apiVersion: i % 2 ? 'apps/v1' : `g${i}.dev/v1`,
  kind: i % 2 ? 'ReplicaSet' : `Kind${i}`,
  name: `o${i}`,
  uid: `u${i}`,
  blockOwnerDeletion: true,
});
const toleration = (i: number) => ({ key: `k${i}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: i });
const pod = (spec: object, metadata: object = {}) => ({
  metadata: { name: 'x', ...metadata },
  spec: { containers: [container(0)], ...spec },
});
const entries = (count: number, name: (index: number) => string): Record<string, string> =>
  Object.fromEntries(many(count, (i) => [name(i), '1000000']));

const cases: Record<string, [path: string, object: object]> = {
  'containers of a pod': ['pods', pod({ containers: many(5_000, container) })],
  'containers that begin a pod': ['pods', pod({ initContainers: many(5_000, container) })],
  'tolerations of a pod': ['pods', pod({ tolerations: many(15_000, toleration) })],
  'selectors of a pod': ['pods', pod({ nodeSelector: entries(20_000, (i) => `k${i}`) })],
  'volumes of a pod': ['pods', pod({ volumes: many(15_000, (i) => ({ name: `v${i}`, hostPath: { path: `/${i}` } })) })],
  'claims of a pod': [
    'pods',
    pod({ volumes: many(15_000, (i) => ({ name: `v${i}`, secret: { secretName: `s${i}` } })) }),
  ],
  'settings of a pod': [
    'pods',
    pod({ securityContext: { sysctls: many(15_000, (i) => ({ name: `net.a${i}`, value: '1' })) } }),
  ],
  'constraints of a pod': [
    'pods',
    pod({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: many(8_000, (i) => ({ topologyKey: `k${i}` })),
        },
      },
    }),
  ],
  'owners of an object': ['configmaps', { metadata: { name: 'x', ownerReferences: many(8_000, owner) } }],
  'names in a quota': [
    'resourcequotas',
    { metadata: { name: 'x' }, spec: { hard: entries(15_000, (i) => `count/r${i}.g`) } },
  ],
  'limits in a range': [
    'limitranges',
    {
      metadata: { name: 'x' },
      spec: { limits: [{ type: 'Container', max: entries(15_000, (i) => `example.com/r${i}`) }] },
    },
  ],
  'resources of a claim': [
    'persistentvolumeclaims',
    {
      metadata: { name: 'x' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi', ...entries(15_000, (i) => `example.com/r${i}`) } },
      },
    },
  ],
  'addresses of a service': [
    'services',
    {
      metadata: { name: 'x' },
      spec: { ports: [{ port: 80 }], externalIPs: many(15_000, (i) => `10.0.${i >> 8}.${i & 255}`) },
    },
  ],
};

/** A generous limit for slow machines. Quadratic algorithms take minutes on any machine. */
const maxCpuMs = 10_000;
let running: TestServer;

async function send(method: string, url: string, body?: object, headers: Record<string, string> = {}): Promise<number> {
  const call = inProcessCaller(running.server.transport());
  const bytes = body && { body: Buffer.from(JSON.stringify(body)) };
  const { status, body: answer } = await call(
    { method, url, headers: { ...asAdmin, ...headers }, ...bytes },
    new AbortController().signal,
  );
  for await (const _ of answer);
  return status;
}

describe('with all plug-ins', () => {
  beforeAll(async () => {
    running = await startTestServer(
      {},
      {
        disabledAdmissionPlugins: [],
        enabledAdmissionPlugins: [
          'AlwaysPullImages',
          'DenyServiceExternalIPs',
          'ExtendedResourceToleration',
          'LimitPodHardAntiAffinityTopology',
          'NamespaceAutoProvision',
          'NodeRestriction',
          'OwnerReferencesPermissionEnforcement',
          'PodNodeSelector',
          'PodTolerationRestriction',
        ],
      },
    );
    const labels = Object.fromEntries(
      ['enforce', 'warn', 'audit'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
    );
    const annotations = {
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist': JSON.stringify(many(1_500, toleration)),
      'scheduler.alpha.kubernetes.io/defaultTolerations': JSON.stringify(many(500, toleration)),
    };
    expect(await send('POST', '/api/v1/namespaces', { metadata: { name: 'busy', labels, annotations } })).toBe(201);
    expect(await send('POST', '/api/v1/namespaces', { metadata: { name: 'lax', annotations } })).toBe(201);
    for (const path of [namespace, '/api/v1/namespaces/lax']) {
      await send('POST', `${path}/serviceaccounts`, { metadata: { name: 'default' } });
      const hard = { pods: '100', ...entries(5_000, (i) => `requests.example.com/r${i}`) };
      expect(await send('POST', `${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } })).toBe(201);
      const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
      const merge = { 'content-type': 'application/merge-patch+json' };
      expect(await send('PATCH', `${path}/resourcequotas/q/status`, { status: { hard, used } }, merge)).toBe(200);
      const limits = [{ type: 'Container', default: entries(2_000, (i) => `example.com/d${i}`) }];
      for (const name of ['l1', 'l2', 'l3'])
        expect(await send('POST', `${path}/limitranges`, { metadata: { name }, spec: { limits } })).toBe(201);
    }
  });
  afterAll(() => running.server.stop());

  it.each(Object.entries(cases))('admission is fast for many %s', async (_, [resource, object]) => {
    for (const path of [namespace, '/api/v1/namespaces/lax'])
      for (const authorization of [asAdmin.authorization, `Bearer ${tokens.alice}`]) {
        const before = process.cpuUsage();
        const status = await send('POST', `${path}/${resource}?dryRun=All`, object, { authorization });
        const { user, system } = process.cpuUsage(before);
        expect([201, 400, 403, 413, 422]).toContain(status);
        expect((user + system) / 1_000).toBeLessThan(maxCpuMs);
      }
  });
});

describe('with few seats', () => {
  it('a flood by many users does not block others, and leaks nothing', async () => {
    running = await startTestServer({}, { maxRequestsInFlight: 10, maxMutatingRequestsInFlight: 10 });
    const flood = many(1_500, (i) =>
      send('GET', `/api/v1/namespaces/n${i % 50}/configmaps?limit=1`, undefined, {
        'impersonate-user': `user-${i % 300}`,
        'impersonate-group': 'system:masters-not',
      }),
    );
    const own = many(20, () => send('GET', '/api/v1/namespaces/default'));
    expect(new Set(await Promise.all(own))).toEqual(new Set([200]));
    const answers = await Promise.all(flood);
    expect(answers.every((status) => status === 403 || status === 429)).toBe(true);
    const metrics = async (): Promise<string> => {
      const { body } = await running.server.transport()({ method: 'GET', url: '/metrics', headers: asAdmin });
      return Buffer.from(body as Uint8Array).toString();
    };
    const isWaiting =
      /^apiserver_flowcontrol_current_(?:inqueue_requests|executing_requests).*flow_schema="(?!exempt)[^"]*".* [1-9]\d*$/m;
    let text = await metrics();
    while (isWaiting.test(text)) text = await metrics();
    // User names are not metric labels, so clients cannot create metrics.
    expect(text).not.toContain('user-299');
    await running.server.stop();
  });
});
