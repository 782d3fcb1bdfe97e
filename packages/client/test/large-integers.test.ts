import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import type { ResourceClaim } from '@coxswain/api/resource/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { cloneJson } from '@coxswain/apimachinery/json';
import type { KubernetesObject, ObjectMeta } from '@coxswain/apimachinery/meta';
import { startApiServer } from '@coxswain/apiserver';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CustomResource, customResource } from '../src/custom-resources/index.ts';
import { DynamicClient } from '../src/dynamic/index.ts';
import { SharedIndexInformer } from '../src/informers/index.ts';
import { ClientSet, extractApplyConfiguration } from '../src/kubernetes/index.ts';
import { listInPages } from '../src/pager/index.ts';
import { RESTClient, type ResourceInterface } from '../src/rest/index.ts';
import { FakeTransport } from '../src/testing/index.ts';
import { InProcessTransport, type Transport } from '../src/transport/index.ts';
import { newTransport } from '../src/transport/new-transport.ts';

type Json = Record<string, unknown>;
type Sample = CustomResource<Json>;

const group = 'numbers.example.com';
const described = { group, version: 'v1', resource: 'samples', kind: 'Sample', namespaced: true } as const;
const definition: CustomResourceDefinition = {
  metadata: { name: `samples.${group}` },
  spec: {
    group,
    names: { plural: 'samples', kind: 'Sample' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  exact: { type: 'integer', format: 'int64' },
                  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer', format: 'int64' } },
                },
              },
            },
          },
        },
      },
    ],
  },
};

interface Server {
  readonly transport: Transport;
  stop(): Promise<void>;
}

const servers: Record<string, () => Promise<Server>> = {
  async 'in the same process'() {
    const server = await startApiServer({ memory: true });
    const transport = new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] }));
    return { transport, stop: () => server.stop() };
  },
  async 'over HTTP/2'() {
    const certDir = await mkdtemp(join(tmpdir(), 'coxswain-integers-'));
    const server = await startApiServer({ memory: true, securePort: 0, bindAddress: '127.0.0.1', certDir });
    const data = (field: string): string =>
      Buffer.from(new RegExp(`${field}: (\\S+)`).exec(server.kubeconfig!)![1]!, 'base64').toString();
    const clientCertificate = { certificate: data('client-certificate-data'), key: data('client-key-data') };
    const transport = newTransport({
      server: server.url!,
      tls: { ca: data('certificate-authority-data') },
      credentials: { current: async () => ({ clientCertificate }), refused: () => false },
    });
    return {
      transport,
      async stop() {
        await transport.close();
        await server.stop();
        await rm(certDir, { recursive: true });
      },
    };
  },
  async 'that is a fake'() {
    const verbs = 'create delete deletecollection get list patch update watch'.split(' ');
    const resource = { name: 'samples', singularName: 'sample', namespaced: true, kind: 'Sample', verbs };
    const transport = new FakeTransport({ resources: [{ groupVersion: `${group}/v1`, resources: [resource] }] });
    return { transport, stop: () => transport.close() };
  },
};

const beyond = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .filter((value) => !Number.isSafeInteger(Number(value)));
const leaf = fc.oneof(
  beyond,
  fc.maxSafeInteger(),
  beyond.map(String),
  fc.string({ unit: 'grapheme' }),
  fc.constant('":12345678901234567890,'),
  fc.boolean(),
);
const key = fc.string({ unit: fc.constantFrom('a', 'b', '0', '-', '"', 'é'), minLength: 1, maxLength: 4 });
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));
/** Contains large integers, and is large enough to be parsed lazily. */
const numbers: fc.Arbitrary<Json> = fc.record({
  exact: beyond,
  set: fc.uniqueArray(beyond, { minLength: 1, maxLength: 3 }),
  any: value,
  padding: fc.constant('x'.repeat(600)),
});

type Client<T extends KubernetesObject> = ResourceInterface<T>;

/** The ways to read an object. */
const readings = {
  get: (client, name) => client.get(name),
  list: async (client, name) => named(name, (await client.list()).items),
  'list in pages': async (client, name) => named(name, (await listInPages(client, { limit: 1 })).list.items),
  async watch(client, name) {
    const { resourceVersion } = (await client.list()).metadata ?? {};
    const fieldSelector = `metadata.name=${name}`;
    const watch = await client.watch({ fieldSelector, ...(resourceVersion && { resourceVersion }) });
    let last: object | undefined;
    // From the second event on, large members are parsed lazily.
    for (const touched of ['once', 'twice']) {
      await client.patch(name, 'json', [{ op: 'add', path: '/metadata/annotations', value: { touched } }]);
      last = (await watch.nextBatch())?.at(-1)?.object;
    }
    watch.stop();
    return last;
  },
  async informer(client, name) {
    const stop = new AbortController();
    const informer = new SharedIndexInformer(client);
    const updated = new Promise<void>((resolve) => {
      let count = 0;
      informer.addEventHandler({
        onUpdate: ({ metadata }) => void (metadata?.name === name && ++count === 2 && resolve()),
      });
    });
    const running = informer.run(stop.signal);
    await informer.whenSynced();
    for (const touched of ['three times', 'four times']) {
      await client.patch(name, 'json', [{ op: 'add', path: '/metadata/annotations', value: { touched } }]);
    }
    await updated;
    const found = informer.indexer.list().find(({ metadata }) => metadata?.name === name);
    stop.abort();
    await running;
    return found;
  },
} satisfies Record<
  string,
  <T extends KubernetesObject>(client: Client<T>, name: string) => Promise<object | undefined>
>;

const named = <T extends KubernetesObject>(name: string, items: readonly T[]): T | undefined =>
  items.find(({ metadata }) => metadata?.name === name);

describe.each(Object.keys(servers))('a server %s', (which) => {
  let server: Server;
  let rest: RESTClient;
  beforeAll(async () => {
    server = await servers[which]!();
    rest = new RESTClient(server.transport);
    if (which === 'that is a fake') return;
    const clients = new ClientSet(rest);
    await clients.apiextensions.v1.customResourceDefinitions().create(definition);
    await until(() => customResource<Sample>(rest, described)('default').list());
  });
  afterAll(() => server.stop());

  let count = 0;
  /** Checks that an object keeps its numbers when it is read in all ways, changed elsewhere and written. */
  async function keepsThem<T extends KubernetesObject>(
    client: Client<T>,
    made: (metadata: ObjectMeta) => T,
    numbersOf: (object: T) => unknown,
    wanted: Json,
  ): Promise<void> {
    const name = `sample-${count++}`;
    expect(numbersOf(await client.create(made({ name })))).toEqual(wanted);
    for (const [way, read] of Object.entries(readings)) {
      const object: T = cloneJson((await read(client, name)) as T);
      object.metadata = { ...object.metadata, labels: { way: way.replaceAll(' ', '-') } };
      const updated = await client.update(object);
      expect([way, numbersOf(updated)]).toEqual([way, wanted]);
      expect([way, numbersOf(await client.get(name))]).toEqual([way, wanted]);
    }
    await client.delete(name);
  }

  it('keeps every digit of a custom resource with the typed client', async () => {
    const client = customResource<Sample>(rest, described)('default');
    await fc.assert(
      fc.asyncProperty(numbers, (spec) =>
        keepsThem(
          client,
          (metadata) => ({ metadata, spec }),
          (object) => object.spec,
          spec,
        ),
      ),
      { numRuns: 10 },
    );
  });

  it('keeps every digit with the dynamic client', async () => {
    const client = new DynamicClient(rest).resource(described).inNamespace('default');
    const kind = { apiVersion: `${group}/v1`, kind: 'Sample' };
    await fc.assert(
      fc.asyncProperty(numbers, (spec) =>
        keepsThem(
          client,
          (metadata) => ({ ...kind, metadata, spec }),
          (object) => object.spec,
          spec,
        ),
      ),
      { numRuns: 5 },
    );
  });

  it('keeps every digit in patches of every type, and in server-side apply', async () => {
    const client = customResource<Sample>(rest, described)('default');
    const changed = { patched: [0, 1] };
    await fc.assert(
      fc.asyncProperty(numbers, numbers, async (before, after) => {
        const name = `patched-${count++}`;
        const specOf = ({ spec }: Sample): Json => spec;
        await client.create({ metadata: { name }, spec: changed });
        expect(specOf(await client.patch(name, 'merge', { spec: before }))).toEqual({ ...changed, ...before });
        expect(specOf(await client.patch(name, 'json', [{ op: 'replace', path: '/spec', value: after }]))).toEqual(
          after,
        );
        await client.delete(name);
        const fieldManager = 'me';
        const apply = (spec: Json) => client.apply({ metadata: { name }, spec }, { fieldManager, force: true });
        expect(specOf(await apply({ set: before.set, exact: before.exact }))).toEqual({
          set: before.set,
          exact: before.exact,
        });
        // The owner's new set replaces the old one only if the old members are compared exactly.
        if (which !== 'that is a fake') {
          const applied = await apply({ set: after.set });
          expect(specOf(applied)).toEqual({ set: after.set });
          expect(extractApplyConfiguration(applied, fieldManager).spec).toEqual({ set: after.set });
        }
        await client.delete(name);
      }),
      { numRuns: 10 },
    );
  });

  it.skipIf(which === 'that is a fake')('keeps every digit of a built-in kind with lazily parsed members', async () => {
    const client = new ClientSet(rest).resource.v1.resourceClaims('default');
    const requests = [{ name: 'r', exactly: { deviceClassName: 'c' } }];
    const made =
      (parameters: Json) =>
      (metadata: ObjectMeta): ResourceClaim => ({
        metadata,
        spec: {
          devices: { requests, config: [{ requests: ['r'], opaque: { driver: 'd.example.com', parameters } }] },
        },
      });
    await fc.assert(
      fc.asyncProperty(numbers, (parameters) =>
        keepsThem(client, made(parameters), ({ spec }) => spec.devices?.config?.[0]?.opaque?.parameters, parameters),
      ),
      { numRuns: 5 },
    );
  });
});

/** Waits until the server serves the new resource. */
async function until(ready: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ready();
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await new Promise(setImmediate);
    }
  }
}
