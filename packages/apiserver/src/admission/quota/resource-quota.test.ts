import type { ResourceQuota } from '@coxswain/api/core/v1';
import { openMemoryStore, type Store } from '@coxswain/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin } from '../../../test/hardening/clients.ts';
import { inProcessCaller } from '../../../test/requests/caller.ts';
import { startTestServer, type TestServer } from '../../../test/test-server.ts';

let store: Store;
let servers: TestServer[] = [];

beforeAll(async () => {
  store = openMemoryStore();
  const overrides = { disabledAdmissionPlugins: ['ServiceAccount'] };
  // The first server creates the initial objects.
  servers = [await startTestServer({ store: unclosed(store) }, overrides)];
  servers.push(await startTestServer({ store: unclosed(store) }, overrides));
});
afterAll(async () => {
  await Promise.all(servers.map(({ server }) => server.stop()));
  await store.close();
});

/** Servers close their store when they stop, but this one is shared. */
const unclosed = (shared: Store): Store =>
  new Proxy(shared, {
    get: (target, name) => {
      if (name === 'close') return async () => {};
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

interface Answer {
  readonly status: number;
  readonly body: { readonly message?: string; readonly items?: readonly unknown[] };
}

async function call(server: number, method: string, url: string, body?: object): Promise<Answer> {
  const bytes = body && Buffer.from(JSON.stringify(body));
  const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
  const send = inProcessCaller(servers[server]!.server.transport());
  const received = await send(
    { method, url, headers: { ...asAdmin, ...type }, ...(bytes && { body: bytes }) },
    new AbortController().signal,
  );
  let text = '';
  for await (const chunk of received.body) text += Buffer.from(chunk).toString();
  return { status: received.status, body: JSON.parse(text) };
}

/** Creates a namespace with an unused quota, which both servers know. */
async function namespaceWithQuota(namespace: string, hard: Record<string, string>): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}`;
  await call(0, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await call(0, 'POST', `${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } });
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  await call(0, 'PATCH', `${path}/resourcequotas/q/status`, { status: { hard, used } });
  const isKnown = (server: TestServer): boolean =>
    server.server.registries.lister<ResourceQuota>('', 'resourcequotas').get(namespace, 'q')?.status?.used !==
    undefined;
  while (!servers.every(isKnown)) await new Promise((resolve) => setImmediate(resolve));
  return path;
}

const used = async (path: string): Promise<Record<string, string>> => {
  const { body } = await call(0, 'GET', `${path}/resourcequotas/q`);
  return { ...(body as ResourceQuota).status?.used };
};

describe('with two servers over one store', () => {
  it('concurrent requests do not exceed a quota', async () => {
    const path = await namespaceWithQuota('many', { pods: '20', 'requests.cpu': '5' });
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        call(i % 2, 'POST', `${path}/pods`, {
          metadata: { name: `p${i}` },
          spec: {
            containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: i % 3 === 0 ? '500m' : '250m' } } }],
          },
        }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201).length;
    const { body } = await call(1, 'GET', `${path}/pods`);
    expect(body.items).toHaveLength(made);
    expect(made).toBeGreaterThanOrEqual(10);
    expect(made).toBeLessThanOrEqual(20);
    expect(answers.every(({ status }) => status === 201 || status === 403)).toBe(true);
    const after = await used(path);
    expect(after.pods).toBe(`${made}`);
    // The quota is used up, as some requests are small enough for the remainder.
    expect(after['requests.cpu']).toBe('5');
  });

  it('a request that is rejected after the quota check stays charged until the usage is recalculated', async () => {
    const path = await namespaceWithQuota('later', { configmaps: '3' });
    const create = (server: number) => call(server, 'POST', `${path}/configmaps`, { metadata: { name: 'same' } });
    expect((await create(0)).status).toBe(201);
    expect((await create(1)).status).toBe(409);
    expect(await used(path)).toEqual({ configmaps: '2' });
  });

  it('a deletion does not reduce the usage, and dry runs are not charged', async () => {
    const path = await namespaceWithQuota('deleted', { configmaps: '1' });
    const create = (query: string) => call(1, 'POST', `${path}/configmaps${query}`, { metadata: { name: 'one' } });
    expect((await create('?dryRun=All')).status).toBe(201);
    expect(await used(path)).toEqual({ configmaps: '0' });
    expect((await create('')).status).toBe(201);
    expect((await call(1, 'DELETE', `${path}/configmaps/one`)).status).toBe(200);
    expect((await create('')).body.message).toBe(
      'configmaps "one" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    );
  });
});
