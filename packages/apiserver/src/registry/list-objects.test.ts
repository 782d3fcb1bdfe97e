import { FeatureGates } from '@coxswain/api';
import { fields, labels } from '@coxswain/apimachinery';
import { nodeSignatures } from '@coxswain/client/x509';
import { beforeEach, describe, expect, it } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import { type ListPage, type ListRequest, listObjects } from './list-objects.ts';
import { testRegistries } from './registries.test-data.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { Selection } from './selection.ts';

const now = (): Date => new Date('2026-01-02T03:04:05Z');
let configMaps: ResourceRegistry;

const add = (name: string, namespace = 'default', app = 'x') =>
  configMaps.create(
    { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace, labels: { app } } },
    { features: FeatureGates.defaults, namespace, now, dryRun: false, signatures: nodeSignatures },
  );
const remove = (name: string) => configMaps.delete({ namespace: 'default', name, options: {}, dryRun: false });

const list = (request: Partial<ListRequest> = {}): Promise<ListPage> =>
  listObjects(configMaps, {
    namespace: 'default',
    selection: Selection.everything,
    limit: 0,
    continue: '',
    resourceVersion: '',
    resourceVersionMatch: '',
    ...request,
  });
const names = ({ objects }: ListPage): string[] => objects.map(({ name }) => name);

beforeEach(async () => {
  configMaps = testRegistries().registries.registry('', 'configmaps');
  for (const name of ['d', 'b', 'a', 'c']) await add(name, 'default', name < 'c' ? 'x' : 'y');
  await add('a', 'other');
  await add('z', 'default-2');
});

describe('listing', () => {
  it('returns the objects of one or all namespaces in order of their keys', async () => {
    expect(names(await list())).toEqual(['a', 'b', 'c', 'd']);
    expect(names(await list({ namespace: '' }))).toEqual(['z', 'a', 'b', 'c', 'd', 'a']);
  });

  it('selects by labels and by name', async () => {
    const selected = (label: string, field: string) =>
      Selection.of(
        label ? labels.parse(label) : labels.Selector.everything,
        field ? fields.parse(field) : fields.Selector.everything,
        [],
      );
    expect(names(await list({ selection: selected('app=y', '') }))).toEqual(['c', 'd']);
    expect(names(await list({ selection: selected('', 'metadata.name=b') }))).toEqual(['b']);
    expect(names(await list({ selection: selected('app=y', 'metadata.name=b') }))).toEqual([]);
    expect(names(await list({ selection: selected('', 'metadata.name!=b,metadata.namespace=default') }))).toEqual([
      'a',
      'c',
      'd',
    ]);
  });

  it('continues after the first page, at its revision', async () => {
    const first = await list({ limit: 3 });
    expect(names(first)).toEqual(['a', 'b', 'c']);
    expect(first.remaining).toBe(1);
    await add('e');
    await remove('d');
    const second = await list({ limit: 3, continue: first.continue });
    expect(names(second)).toEqual(['d']);
    expect(second.revision).toBe(first.revision);
    expect(second.continue).toBe('');
  });

  it('pages through selected objects, without a remaining count', async () => {
    const selection = Selection.of(labels.parse('app in (x,y)'), fields.Selector.everything, []);
    const seen: string[] = [];
    let token = '';
    do {
      const page = await list({ limit: 1, continue: token, selection });
      expect(page.remaining).toBeUndefined();
      seen.push(...names(page));
      token = page.continue;
    } while (token);
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
  });

  it('returns Expired after a compaction, with a token to continue inconsistently', async () => {
    const first = await list({ limit: 2 });
    await remove('c');
    await configMaps.store.compact(await configMaps.store.currentRevision());
    const error = await list({ limit: 2, continue: first.continue }).catch((reason) => reason);
    expect(error.status).toMatchObject({ code: 410, reason: 'Expired' });
    expect(error.message).toContain('The provided continue parameter is too old');
    expect(names(await list({ limit: 2, continue: error.status.metadata.continue }))).toEqual(['d']);
    await expect(list({ resourceVersion: String(first.revision), resourceVersionMatch: 'Exact' })).rejects.toThrow(
      'The resourceVersion for the provided list is too old.',
    );
  });

  it('returns exactly the state at a resource version', async () => {
    const { revision } = await list();
    await add('e');
    await remove('a');
    const exact = await list({ resourceVersion: String(revision), resourceVersionMatch: 'Exact' });
    expect(names(exact)).toEqual(['a', 'b', 'c', 'd']);
    expect(exact.revision).toBe(revision);
    expect(names(await list({ resourceVersion: String(revision), resourceVersionMatch: 'NotOlderThan' }))).toEqual([
      'b',
      'c',
      'd',
      'e',
    ]);
  });

  it('ignores the limit for resource version 0', async () => {
    expect(names(await list({ resourceVersion: '0', limit: 1 }))).toHaveLength(4);
  });

  it.each([
    ['not base64', '%%'],
    ['not JSON', 'YWJj'],
    ['of another version', Buffer.from('{"v":"x","rv":1,"start":"a"}').toString('base64url')],
    ['without a revision', Buffer.from('{"v":"meta.k8s.io/v1","start":"a"}').toString('base64url')],
    ['without a start key', Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":""}').toString('base64url')],
    [
      'for a key outside of the prefix',
      Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../secrets/x"}').toString('base64url'),
    ],
    ['null', Buffer.from('null').toString('base64url')],
  ])('refuses a token that is %s', async (_, token) => {
    await expect(list({ continue: token })).rejects.toMatchObject({ status: { code: 400, reason: 'BadRequest' } });
  });

  it('decodes the tokens that it encodes', () => {
    const token = { revision: 5, from: '/registry/configmaps/default/a\0' };
    expect(decodeContinue(encodeContinue(token, '/registry/configmaps/'), '/registry/configmaps/')).toEqual(token);
  });
});
