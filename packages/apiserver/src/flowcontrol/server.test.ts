import type { FlowSchema } from '@coxswain/api/flowcontrol/v1';
import type { ApiResponse, ResponseSink } from '@coxswain/component-base/http';
import { afterEach, describe, expect, it } from 'vitest';
import { connectSession } from '../../test/hardening/clients.ts';
import { startTestServer, tokens } from '../../test/test-server.ts';
import type { ApiServer } from '../server/api-server.ts';
import type { ApiServerConfig } from '../server/api-server-config.ts';

const servers: ApiServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

/** Starts a server with 61 seats. A large list takes several. */
async function start(overrides: Partial<ApiServerConfig> = {}, listen = false) {
  const { server, port } = await startTestServer(
    { listen },
    { authorizationModes: ['AlwaysAllow'], maxRequestsInFlight: 41, maxMutatingRequestsInFlight: 20, ...overrides },
  );
  servers.push(server);
  const as = (username: string, ...groups: string[]) => {
    const transport = server.transport({ username, groups: [...groups, 'system:authenticated'] });
    return async (method: string, url: string, object?: object, signal?: AbortSignal): Promise<ApiResponse> =>
      transport({
        method,
        url,
        headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
        ...(object && { body: Buffer.from(JSON.stringify(object)) }),
        ...(signal && { signal }),
      });
  };
  return { server, port, as, admin: as('admin', 'system:masters') };
}

const text = ({ body }: ApiResponse): string => (body instanceof Uint8Array ? Buffer.from(body).toString() : '');

/** Reads the whole body. */
function read({ body }: ApiResponse): void {
  if (!body || !('stream' in body)) return;
  const closed: (() => void)[] = [];
  const close = (): void => {
    for (const callback of closed.splice(0)) callback();
  };
  const sink: ResponseSink = {
    write: (_, sent) => {
      sent?.();
      return true;
    },
    pendingBytes: 0,
    onDrain: () => {},
    onClose: (callback) => void closed.push(callback),
    end: close,
    destroy: close,
  };
  body.stream(sink);
}

/** Polls until the condition is true. Throws after 2,000 event loop turns. */
async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the condition did not become true');
}

const dumpLevels = '/debug/api_priority_and_fairness/dump_priority_levels';

/** Returns the numbers of waiting and executing requests of the level. */
async function countsOf(level: string, admin: (method: string, url: string) => Promise<ApiResponse>) {
  const row = text(await admin('GET', dumpLevels))
    .split('\n')
    .find((line) => line.startsWith(`${level},`));
  const [waiting = Number.NaN, executing = Number.NaN] = row?.split(',').slice(4, 6).map(Number) ?? [];
  return { waiting, executing };
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, bytes: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text: 'x'.repeat(bytes) },
});
const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
const lease = (name: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'kube-node-lease' },
  spec: { holderIdentity: name },
});
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

describe('a server with more large lists than it has seats for', () => {
  it('serves all other requests at once, and the lists one after another', async () => {
    const { as, admin } = await start();
    for (let i = 0; i < 20; i++) await admin('POST', configMaps, configMap(`large-${i}`, 50_000));
    const kubelet = as('system:node:n1', 'system:nodes');
    expect((await kubelet('POST', '/api/v1/nodes', node('n1'))).status).toBe(201);
    expect((await kubelet('POST', leases, lease('n1'))).status).toBe(201);
    const alice = as('alice');
    const answered: ApiResponse[] = [];
    const lists = Array.from({ length: 40 }, () =>
      alice('GET', configMaps).then((response) => {
        answered.push(response);
        return response;
      }),
    );
    await eventually(async () => {
      const { waiting, executing } = await countsOf('global-default', admin);
      return waiting + executing === 40 && answered.length === executing;
    });
    // The responses are not read, so their seats stay in use.
    const letIn = answered.length;
    expect(letIn).toBeGreaterThan(0);
    expect(letIn).toBeLessThan(20);

    expect((await as('system:anonymous', 'system:unauthenticated')('GET', '/healthz')).status).toBe(200);
    expect((await as('alice')('GET', '/readyz')).status).toBe(200);
    for (let i = 0; i < 5; i++) {
      expect((await kubelet('PATCH', `${leases}/n1`, { spec: { leaseTransitions: i } })).status).toBe(200);
      const status = { status: { conditions: [{ type: 'Ready', status: 'True', reason: `r${i}` }] } };
      expect((await kubelet('PATCH', '/api/v1/nodes/n1/status', status)).status).toBe(200);
    }
    const leader = as('system:kube-controller-manager');
    expect((await leader('GET', `${leases}/n1`)).status).toBe(200);
    expect((await as('system:serviceaccount:a:b', 'system:serviceaccounts')('GET', configMaps)).status).toBe(200);
    expect((await admin('GET', configMaps)).status).toBe(200);
    expect(answered).toHaveLength(letIn);

    const table = text(await admin('GET', dumpLevels));
    expect(table).toMatch(new RegExp(`^global-default, +[1-6], +false, +false, +${40 - letIn}, +${letIn}, `, 'm'));
    expect(table).toMatch(/^exempt, +0, +false, +false, +0, +2, /m);
    const requests = text(await admin('GET', '/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1'));
    expect(
      requests.split('\n').filter((line) => / alice, +list, +\/api\/v1\/namespaces\/default\//.test(line)),
    ).toHaveLength(40);
    const queues = text(await admin('GET', '/debug/api_priority_and_fairness/dump_queues')).split('\n');
    expect(queues.filter((line) => line.startsWith('global-default,'))).toHaveLength(128);

    const bob = as('bob')('GET', `${configMaps}/large-0`);
    for (let reads = 0; reads < 40; reads++) {
      await eventually(() => answered.length > 0);
      read(answered.shift()!);
    }
    expect((await bob).status).toBe(200);
    expect((await Promise.all(lists)).map(({ status }) => status)).toEqual(Array(40).fill(200));
  });

  it('rejects queued requests whose client disconnects, and all of them when it stops', async () => {
    const { server, as, admin } = await start();
    for (let i = 0; i < 20; i++) await admin('POST', configMaps, configMap(`large-${i}`, 50_000));
    const alice = as('alice');
    const impatient = new AbortController();
    const lists = Array.from({ length: 40 }, () => alice('GET', configMaps, undefined, impatient.signal));
    let letIn = 0;
    await eventually(async () => {
      const { waiting, executing } = await countsOf('global-default', admin);
      letIn = executing;
      return waiting + executing === 40;
    });
    impatient.abort();
    const statuses = (await Promise.all(lists)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - letIn);
    expect(letIn).toBeGreaterThan(0);
    const late = Array.from({ length: 40 }, () => alice('GET', configMaps));
    await eventually(async () => (await countsOf('global-default', admin)).waiting > 0);
    await server.stop();
    expect((await Promise.all(late)).map(({ status }) => status)).toContain(429);
  });
});

describe('seats', () => {
  it('are released when clients disconnect in the middle of a response', async () => {
    const { admin, port } = await start({}, true);
    for (let i = 0; i < 20; i++) await admin('POST', configMaps, configMap(`large-${i}`, 100_000));
    const session = await connectSession(port);
    const headers = { ':path': configMaps, authorization: `Bearer ${tokens.alice}` };
    const streams = Array.from({ length: 30 }, () => session.request(headers));
    for (const stream of streams) stream.on('error', () => undefined);
    await eventually(async () => (await countsOf('global-default', admin)).waiting > 0);
    session.destroy();
    await eventually(async () => {
      const { waiting, executing } = await countsOf('global-default', admin);
      return waiting + executing === 0;
    });
    expect(text(await admin('GET', dumpLevels))).toMatch(/^global-default, +0, +true, /m);
  });

  it('are held by a watch only until it has sent its initial events', async () => {
    const { as, admin } = await start({ maxRequestsInFlight: 400, maxMutatingRequestsInFlight: 200 });
    for (let i = 0; i < 3; i++) await admin('POST', configMaps, configMap(`x-${i}`, 10));
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watches = await Promise.all(Array.from({ length: 12 }, () => as('alice')('GET', `${configMaps}?${query}`)));
    expect(new Set(watches.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await countsOf('global-default', admin)).executing).toBe(12);
    for (const watch of watches) read(watch);
    expect((await countsOf('global-default', admin)).executing).toBe(0);
    // The watches continue, so a write needs more seats.
    expect((await as('alice')('POST', configMaps, configMap('y', 10))).status).toBe(201);
    const lines = text(await admin('GET', '/metrics')).split('\n');
    const flow = 'flow_schema="global-default",priority_level="global-default"';
    for (const line of [
      `apiserver_flowcontrol_request_execution_seconds_count{${flow},type="watch"} 12`,
      `apiserver_flowcontrol_watch_count_samples_sum{${flow}} 12`,
      `apiserver_flowcontrol_work_estimated_seats_bucket{${flow},le="1"} 12`,
      `apiserver_flowcontrol_work_estimated_seats_bucket{${flow},le="2"} 13`,
    ])
      expect(lines).toContain(line);
  });
});

describe('a server', () => {
  const uidOf = async (admin: Awaited<ReturnType<typeof start>>['admin'], kind: string, name: string) =>
    (JSON.parse(text(await admin('GET', `/apis/flowcontrol.apiserver.k8s.io/v1/${kind}/${name}`))) as FlowSchema)
      .metadata.uid;

  it('names the FlowSchema and priority level in response headers, also of errors', async () => {
    const { as, admin } = await start({ authorizationModes: ['RBAC'] });
    const { status, headers } = await as('alice')('GET', configMaps);
    expect(status).toBe(403);
    expect(headers).toMatchObject({
      'x-kubernetes-pf-flowschema-uid': await uidOf(admin, 'flowschemas', 'global-default'),
      'x-kubernetes-pf-prioritylevel-uid': await uidOf(admin, 'prioritylevelconfigurations', 'global-default'),
    });
  });

  it('applies changes of stored FlowSchemas at once', async () => {
    const { as, admin } = await start();
    const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
    const schema: FlowSchema = {
      kind: 'FlowSchema',
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      metadata: { name: 'of-alice' },
      spec: {
        priorityLevelConfiguration: { name: 'system' },
        matchingPrecedence: 10,
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'alice' } }],
            resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
          },
        ],
      },
    };
    const isSortedInto = async (name: string): Promise<boolean> =>
      (await as('alice')('GET', configMaps)).headers['x-kubernetes-pf-flowschema-uid'] ===
      (await uidOf(admin, 'flowschemas', name));
    expect((await admin('POST', schemas, schema)).status).toBe(201);
    const isCounted = async (): Promise<boolean> => text(await admin('GET', '/metrics')).includes('"of-alice"');
    await eventually(() => isSortedInto('of-alice'));
    expect(await isCounted()).toBe(true);
    expect((await admin('DELETE', `${schemas}/of-alice`)).status).toBe(200);
    await eventually(() => isSortedInto('global-default'));
    expect(await isCounted()).toBe(false);
  });

  it('serves metrics of priority and fairness', async () => {
    const { as, admin } = await start();
    await as('alice')('GET', configMaps);
    await as('alice')('POST', configMaps, configMap('x', 1));
    const lines = text(await admin('GET', '/metrics')).split('\n');
    const flow = 'flow_schema="global-default",priority_level="global-default"';
    for (const line of [
      `apiserver_flowcontrol_dispatched_requests_total{${flow}} 2`,
      `apiserver_flowcontrol_current_executing_requests{${flow}} 0`,
      `apiserver_flowcontrol_current_executing_seats{flow_schema="exempt",priority_level="exempt"} 1`,
      `apiserver_flowcontrol_request_wait_duration_seconds_count{execute="true",${flow}} 2`,
      `apiserver_flowcontrol_request_execution_seconds_count{${flow},type="regular"} 2`,
      `apiserver_flowcontrol_watch_count_samples_count{${flow}} 1`,
      `apiserver_flowcontrol_work_estimated_seats_bucket{${flow},le="1"} 2`,
      'apiserver_flowcontrol_nominal_limit_seats{priority_level="global-default"} 5',
      'apiserver_flowcontrol_upper_limit_seats{priority_level="catch-all"} 63',
      'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
    ])
      expect(lines).toContain(line);
    for (const [name, labels] of [
      ['demand_seats', 'priority_level="system"'],
      ['priority_level_seat_utilization', 'phase="executing",priority_level="system"'],
      ['priority_level_request_utilization', 'phase="waiting",priority_level="system"'],
      ['read_vs_write_current_requests', 'phase="executing",request_kind="readOnly"'],
    ])
      expect(lines.find((line) => line.startsWith(`apiserver_flowcontrol_${name}_count{${labels}} `))).toMatch(
        / [1-9][\d.]*e\+\d\d$/,
      );
  });

  it('counts rejected requests', async () => {
    const { as, admin } = await start();
    const gone = AbortSignal.abort();
    for (let i = 0; i < 20; i++) await admin('POST', configMaps, configMap(`large-${i}`, 50_000));
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => as('alice')('GET', configMaps, undefined, gone)),
    );
    const refused = answers.filter(({ status }) => status === 429).length;
    expect(refused).toBeGreaterThan(0);
    const lines = text(await admin('GET', '/metrics')).split('\n');
    const flow = 'flow_schema="global-default",priority_level="global-default"';
    expect(lines).toContain(`apiserver_flowcontrol_rejected_requests_total{${flow},reason="time-out"} ${refused}`);
    expect(lines.find((line) => /^apiserver_request_total{code="429".*resource="configmaps"/.test(line))).toMatch(
      new RegExp(` ${refused}$`),
    );
  });

  it('limits only reads and writes when priority and fairness is off', async () => {
    const { as, admin } = await start({ priorityAndFairness: false, maxRequestsInFlight: 2 });
    const answers = await Promise.all(Array.from({ length: 4 }, () => as('alice')('GET', configMaps)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
    expect(answers[0]?.headers).not.toHaveProperty('x-kubernetes-pf-flowschema-uid');
    expect((await admin('GET', '/debug/api_priority_and_fairness/dump_queues')).status).toBe(404);
  });
});
