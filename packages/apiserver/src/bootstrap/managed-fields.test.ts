import { readFileSync } from 'node:fs';
import type { KubernetesObject, ManagedFieldsEntry } from '@coxswain/apimachinery';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../test/test-server.ts';

/**
 * The managedFields of all objects that a kube-apiserver v1.36.4 holds after its first start with `--client-ca-file` and the
 * `--requestheader-*` flags, without their times; objects as `resource.group namespace/name`.
 */
const fresh = JSON.parse(readFileSync(new URL('testdata/fresh-managed-fields.json', import.meta.url), 'utf8')) as {
  readonly objects: readonly string[];
  readonly managedFields: readonly ManagedFieldsEntry[];
}[];

let made: TestServer;
beforeAll(async () => {
  const pem = (JSON.parse(readFileSync(new URL('testdata/fresh-server.json', import.meta.url), 'utf8')) as Fresh)
    .configmaps[0].data['client-ca-file'];
  made = await startTestServer(
    {},
    {
      runtimeConfig: new Map(),
      authentication: {
        anonymous: true,
        bootstrapTokens: true,
        clusterInfo: () => ({
          clientCA: pem,
          requestHeader: {
            clientCA: pem,
            usernameHeaders: ['X-Remote-User'],
            uidHeaders: ['X-Remote-Uid'],
            groupHeaders: ['X-Remote-Group'],
            extraHeaderPrefixes: ['X-Remote-Extra-'],
            allowedNames: ['front-proxy-client'],
          },
        }),
      },
    },
  );
});
afterAll(() => made.server.stop());

interface Fresh {
  readonly configmaps: [{ readonly data: { readonly 'client-ca-file': string } }];
}

const withoutTimes = (entries: readonly ManagedFieldsEntry[] = []): object[] =>
  entries.map(({ time: _, ...entry }) => entry);

it('the objects of the first start have the managedFields of upstream', async () => {
  const { registries } = made.server;
  const found: Record<string, object[]> = {};
  for (const key of new Set(fresh.flatMap(({ objects }) => objects.map((object) => object.split(' ')[0] ?? '')))) {
    const [resource = '', ...group] = key.split('.');
    const lister = registries.lister<KubernetesObject>(group.join('.'), resource);
    await lister.synced;
    for (const { metadata } of lister.list()) {
      const name = metadata?.name?.replace(/^apiserver-[a-z0-9]{26}$/, 'apiserver-{{hostname}}');
      found[`${key} ${metadata?.namespace ?? ''}/${name}`] = withoutTimes(metadata?.managedFields);
    }
  }
  const expected = fresh.flatMap(({ objects, managedFields }) => objects.map((object) => [object, managedFields]));
  expect(found).toEqual(Object.fromEntries(expected));
});
