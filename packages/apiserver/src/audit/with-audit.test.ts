import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject } from '@coxswain/apimachinery';
import type { ApiResponse, ResponseSink } from '@coxswain/component-base/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InProcessRequest } from '../http/in-process.ts';
import { type RunningApiServer, startApiServer } from '../options/index.ts';

const recorded: Readonly<Record<string, Record<string, unknown>[]>> = JSON.parse(
  readFileSync(new URL('testdata/recorded-events.json', import.meta.url), 'utf8'),
);

/** The policy of the kube-apiserver whose events were recorded. */
const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: None, nonResourceURLs: ["/readyz*"]}
- {level: None, userGroups: ["system:nodes"]}
- {level: Metadata, resources: [{group: "", resources: ["secrets"]}]}
- {level: Request, namespaces: ["audit-request"]}
- {level: RequestResponse, namespaces: ["audit"], omitManagedFields: true}
- {level: RequestResponse, resources: [{group: "", resources: ["namespaces"]}]}
- {level: Metadata}
`;

type Sent = Pick<InProcessRequest, 'method' | 'url' | 'headers'> & { readonly body?: string | object };

const core = '/api/v1/namespaces';
const inAudit = `${core}/audit`;
const admin = { authorization: 'Bearer admin' };
const json = { ...admin, 'content-type': 'application/json' };
const configMap = (metadata: object, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  ...more,
});
const namespace = (name: string): object => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const get = (url: string, headers: Readonly<Record<string, string>> = {}): Sent => ({
  method: 'GET',
  url,
  headers: { ...admin, ...headers },
});
const post = (url: string, body: string | object): Sent => ({ method: 'POST', url, headers: json, body });
const patch = (url: string, type: string, body: object): Sent => ({
  method: 'PATCH',
  url,
  headers: { ...admin, 'content-type': `application/${type}` },
  body,
});
const remove = (url: string, body?: object): Sent => ({
  method: 'DELETE',
  url,
  headers: body ? json : admin,
  ...(body && { body }),
});

/** By audit ID, in the order in which they are sent. */
const requests: Record<string, Sent> = {
  'id-01': post(core, namespace('audit')),
  'id-02': post(core, namespace('audit-request')),
  'id-03': post(
    `${inAudit}/configmaps?fieldManager=m`,
    configMap({ name: 'a', labels: { x: 'y' } }, { data: { k: 'v' } }),
  ),
  'id-04': get(`${inAudit}/configmaps/a`),
  'id-05': get(`${inAudit}/configmaps?limit=5&fieldSelector=metadata.name%3Da`),
  'id-06': patch(`${inAudit}/configmaps/a`, 'merge-patch+json', { data: { k: 'w' } }),
  'id-08': get(`${inAudit}/configmaps/missing`),
  'id-09': get(`${inAudit}/configmaps/a`, { authorization: 'Bearer alice' }),
  'id-10': get(`${inAudit}/configmaps`, {
    'impersonate-user': 'bob',
    'impersonate-group': 'dev',
    'impersonate-extra-scopes': 'a',
  }),
  'id-11': post(`${inAudit}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    stringData: { p: 'q' },
  }),
  'id-12': post(`${core}/audit-request/configmaps`, configMap({ generateName: 'g-' })),
  'id-13': remove(`${inAudit}/configmaps/b`, { propagationPolicy: 'Background' }),
  'id-14': get(`${inAudit}/configmaps?watch=1&timeoutSeconds=1`),
  'id-15': get(`${inAudit}/configmaps`, { authorization: 'Bearer nobody' }),
  'id-16': get('/version', { 'x-forwarded-for': '1.2.3.4, bogus, 5.6.7.8', 'x-real-ip': '9.9.9.9' }),
  'id-17': { method: 'GET', url: '/healthz', headers: {} },
  'id-18': post(`${inAudit}/configmaps`, configMap({ name: 'Bad_Name' })),
  'id-19': post(`${inAudit}/configmaps`, '{'),
  'id-20': get(`${inAudit}/configmaps/a`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
  'id-21': get(`${inAudit}/configmaps/a`, { accept: 'application/vnd.kubernetes.protobuf' }),
  'id-22': {
    method: 'PUT',
    url: `${inAudit}/configmaps/a`,
    headers: json,
    body: configMap({ name: 'a' }, { data: { k: 'z' } }),
  },
  'id-23': post(`${inAudit}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  }),
  'id-24': post(`${inAudit}/pods/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }),
  'id-25': remove(`${inAudit}/configmaps`),
  'id-26': get(`${inAudit}/pods/p/log`),
  'id-27': get('/apis/nope/v1/things'),
  'id-28': post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
  }),
  'id-29': patch(`${inAudit}/configmaps/zz`, 'json-patch+json', [{ op: 'add', path: '/data/k', value: 'w' }]),
  'id-31': remove(`${inAudit}/secrets/s`),
  'id-32': { method: 'POST', url: '/healthz', headers: admin },
};

let folder: string;
let running: RunningApiServer;
/** By audit ID, in the order of the log. */
const written = new Map<string, Record<string, unknown>[]>();
const answers = new Map<string, ApiResponse>();

async function send(id: string, { method, url, headers, body }: Sent): Promise<void> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const response = await running.server.transport()({
    method,
    url,
    headers: { accept: '*/*', 'user-agent': 'audit-test/1.0', 'audit-id': id, ...headers },
    ...(text !== undefined && { body: new TextEncoder().encode(text) }),
  });
  answers.set(id, response);
  if (response.body && 'stream' in response.body) drain(response.body.stream);
}

/** Reads the stream to its end and closes the sink. Closes it at once when the stream does not end, as with a watch. */
function drain(stream: (sink: ResponseSink) => void): void {
  const callbacks: (() => void)[] = [];
  const close = (): void => {
    for (const callback of callbacks.splice(0)) callback();
  };
  stream({
    write: () => true,
    pendingBytes: 0,
    onDrain: () => {},
    onClose: (callback) => callbacks.push(callback),
    end: close,
    destroy: close,
  });
  close();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  running = await startApiServer(
    {
      memory: true,
      // As for the kube-apiserver of the recording.
      disableAdmissionPlugins: ['ServiceAccount', 'Priority', 'PodSecurity', 'DefaultTolerationSeconds'],
      auditPolicyFile: await file('policy.yaml', policy),
      auditLogPath: join(folder, 'audit.log'),
      tokenAuthFile: await file('tokens.csv', 'admin,admin,uid1,"system:masters"\nalice,alice,uid2,dev\n'),
    },
    { listen: false },
  );
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n';
  for (const [id, request] of Object.entries(requests)) {
    await send(id, request);
    if (id === 'id-06')
      await send('id-07', {
        method: 'PATCH',
        url: `${inAudit}/configmaps/b?fieldManager=me`,
        headers: { ...admin, 'content-type': 'application/apply-patch+yaml' },
        body: yaml,
      });
  }
  await send('from-node', get('/api/v1/nodes', { 'impersonate-user': 'system:node:n', 'impersonate-group': 'x' }));
  await send('health', get('/readyz'));
  await running.stop();
  for (const line of (await readFile(join(folder, 'audit.log'), 'utf8')).trimEnd().split('\n')) {
    const event = JSON.parse(line);
    written.set(event.auditID, [...(written.get(event.auditID) ?? []), event]);
  }
});
afterAll(() => rm(folder, { recursive: true }));

const unpredictable = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time']);

/** Replaces values that differ between runs, as was done for the recording. */
function comparable(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item));
  if (typeof value === 'string') return unpredictable.has(key) ? '*' : value;
  if (!isJsonObject(value)) return value;
  // The cells of a Table contain ages; the descriptions of its columns are not in the recording.
  const { requestReceivedTimestamp: _, stageTimestamp: __, cells: ___, description: ____, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).map(([name, child]) => [name, comparable(child, name)]));
}

describe('events equal those of kube-apiserver', () => {
  it.each(Object.keys(requests))('%s', (id) => {
    expect(comparable(written.get(id))).toEqual(comparable(recorded[id]));
  });

  it('with their fields in the same order', () => {
    const fields = Object.keys(written.get('id-10')!.at(-1)!);
    expect(fields.filter((name) => !name.endsWith('Timestamp'))).toEqual(Object.keys(recorded['id-10']!.at(-1)!));
  });
});

describe('the audit log', () => {
  it('has the audit ID that the response headers carry', () => {
    for (const id of Object.keys(requests)) expect(answers.get(id)?.headers['audit-id']).toBe(id);
  });

  it('records an apply patch in YAML as JSON', () => {
    expect(written.get('id-07')?.at(-1)).toMatchObject({
      stage: 'ResponseComplete',
      requestObject: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } },
      responseStatus: { code: 201 },
    });
  });

  it('has no events for requests at level None', () => {
    expect(written.has('health')).toBe(false);
  });

  it('applies the policy to the authenticated user, not to the impersonated one', () => {
    expect(written.get('from-node')).toHaveLength(2);
  });

  it('has times with microseconds, and requestReceivedTimestamp in all stages', () => {
    const [received, complete] = written.get('id-01')!;
    expect(received?.requestReceivedTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(received?.stageTimestamp).toBe(received?.requestReceivedTimestamp);
    expect(complete?.requestReceivedTimestamp).toBe(received?.requestReceivedTimestamp);
  });
});
