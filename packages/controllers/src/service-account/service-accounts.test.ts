import type { Secret } from '@coxswain/api/core/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { FakeClock } from '@coxswain/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { bootstrapSignerController } from '../bootstrap-signer/index.ts';
import { newLegacyTokenCleanerController } from '../legacy-token-cleaner/index.ts';
import { rootCAPublisherController } from '../root-ca-publisher/index.ts';
import { serviceAccountTokenController } from '../service-account-token/index.ts';
import { tokenCleanerController } from '../token-cleaner/index.ts';
import { serviceAccountController } from './index.ts';

const day = 86_400_000;
const rootCA = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';

let cluster: TestCluster;
async function start(...controllers: Parameters<typeof TestCluster.start>[0]['controllers']): Promise<void> {
  cluster = await TestCluster.start({ controllers, clock: new FakeClock(Date.parse('2026-03-01T12:00:00Z')) });
  await cluster.settle();
}
afterEach(() => cluster.stop());

const core = () => cluster.clients.core.v1;
const secrets = (namespace = 'default') => core().secrets(namespace);
const secretNames = async (): Promise<string[]> =>
  (await secrets().list()).items.map(({ metadata }) => metadata.name!).sort();
const writes = (): string[] => cluster.spy.writes.map(({ method, url }) => `${method} ${url}`);
async function writesOf(act: () => Promise<unknown>): Promise<string[]> {
  const before = writes().length;
  await act();
  await cluster.settle();
  return writes()
    .slice(before)
    .map((write) => write.split(' ')[0]!);
}
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const text = (encoded = ''): string => Buffer.from(encoded, 'base64').toString();

describe('every namespace', () => {
  beforeEach(() => start(serviceAccountController, rootCAPublisherController({ rootCA })));
  const create = async (name: string): Promise<void> => {
    await core().namespaces().create({ metadata: { name } });
    await cluster.settle();
  };

  it('has a default ServiceAccount and the CA certificates of the API server', async () => {
    await create('a');
    expect((await core().serviceAccounts('a').list()).items.map(({ metadata }) => metadata.name)).toEqual(['default']);
    const { data, metadata } = await core().configMaps('a').get('kube-root-ca.crt');
    expect(data).toEqual({ 'ca.crt': rootCA });
    expect(metadata.annotations).toEqual({
      'kubernetes.io/description':
        'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
    });
    expect(await writesOf(() => cluster.advance(day, day / 4))).toEqual([]);
  });

  it('gets them again after deletion', async () => {
    await create('a');
    expect(await writesOf(() => core().serviceAccounts('a').delete('default'))).toEqual(['POST']);
    expect(await writesOf(() => core().configMaps('a').delete('kube-root-ca.crt'))).toEqual(['POST']);
    const patch = { data: { 'ca.crt': 'other', more: 'x' } };
    expect(await writesOf(() => core().configMaps('a').patch('kube-root-ca.crt', 'merge', patch))).toEqual(['PUT']);
    expect((await core().configMaps('a').get('kube-root-ca.crt')).data).toEqual({ 'ca.crt': rootCA });
    const annotations = { 'kubernetes.io/description': 'mine' };
    const describing = () => core().configMaps('a').patch('kube-root-ca.crt', 'merge', { metadata: { annotations } });
    expect(await writesOf(describing)).toEqual([]);
  });

  it('gets nothing while it is being deleted', async () => {
    await create('a');
    // No namespace controller runs in this test, so the namespace is kept.
    await core().namespaces().delete('a');
    await cluster.settle();
    expect(await writesOf(() => core().serviceAccounts('a').delete('default'))).toEqual([]);
    await core().configMaps('a').delete('kube-root-ca.crt');
    await cluster.advance(60_000, 10_000);
    expect((await core().configMaps('a').list()).items).toEqual([]);
    expect(cluster.log).toEqual([]);
  });

  it('gets them after failures', async () => {
    let failures = 3;
    cluster.spy.plan = ({ method }) => {
      if (method === 'POST' && failures-- > 0) throw newInternalError(new Error('injected'));
    };
    await create('a');
    await cluster.advance(100, 5);
    expect((await core().serviceAccounts('a').list()).items).toHaveLength(1);
    expect((await core().configMaps('a').list()).items).toHaveLength(1);
  });
});

describe('a service account token Secret', () => {
  const signToken = (claims: object): string => `signed ${JSON.stringify(claims)}`;
  beforeEach(() => start(serviceAccountTokenController({ signToken, rootCA })));

  const account = () =>
    core()
      .serviceAccounts('default')
      .create({ metadata: { name: 'robot' } });
  async function secret(name = 'token', data: Secret['data'] = {}): Promise<Secret> {
    await secrets().create({
      metadata: { name, annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type: 'kubernetes.io/service-account-token',
      data,
    });
    await cluster.settle();
    return await secrets().get(name);
  }

  it('is filled with a token, the CA certificates and the namespace', async () => {
    const { metadata } = await account();
    await cluster.settle();
    const { data, metadata: filled } = await secret();
    expect(filled.annotations).toEqual({
      'kubernetes.io/service-account.name': 'robot',
      'kubernetes.io/service-account.uid': metadata.uid,
    });
    expect(text(data?.['ca.crt'])).toBe(rootCA);
    expect(text(data?.namespace)).toBe('default');
    expect(JSON.parse(text(data?.token).replace('signed ', ''))).toEqual({
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:default:robot',
      'kubernetes.io/serviceaccount/namespace': 'default',
      'kubernetes.io/serviceaccount/secret.name': 'token',
      'kubernetes.io/serviceaccount/service-account.name': 'robot',
      'kubernetes.io/serviceaccount/service-account.uid': metadata.uid,
    });
    expect(await writesOf(() => cluster.advance(day, day / 4))).toEqual([]);
  });

  it('keeps an existing token, and gets new CA certificates', async () => {
    await account();
    await cluster.settle();
    const { data } = await secret('token', { token: base64('mine'), 'ca.crt': base64('old') });
    expect(text(data?.token)).toBe('mine');
    expect(text(data?.['ca.crt'])).toBe(rootCA);
  });

  it('of a missing account is deleted', async () => {
    await expect(secret()).rejects.toThrow('not found');
  });

  it('is deleted with its account, and removed from the list of the account when it is deleted', async () => {
    await account();
    await cluster.settle();
    await secret('a');
    await secret('b');
    await core()
      .serviceAccounts('default')
      .patch('robot', 'merge', { secrets: [{ name: 'a' }, { name: 'x' }] });
    await secrets().delete('a');
    await cluster.settle();
    expect((await core().serviceAccounts('default').get('robot')).secrets).toEqual([{ name: 'x' }]);
    await core().serviceAccounts('default').delete('robot');
    await cluster.settle();
    expect(await secretNames()).toEqual([]);
  });

  it('of an account that was recreated while the controller was stopped is deleted', async () => {
    await account();
    await cluster.settle();
    await secret();
    await cluster.stopControllers();
    await core().serviceAccounts('default').delete('robot');
    await account();
    cluster.startControllers();
    await cluster.settle();
    expect(await secretNames()).toEqual([]);
  });

  it('is filled after failures', async () => {
    await account();
    await cluster.settle();
    let failures = 2;
    cluster.spy.plan = ({ method }) => {
      if (method === 'PUT' && failures-- > 0) throw newInternalError(new Error('injected'));
    };
    await secret();
    await cluster.advance(100, 5);
    expect((await secrets().get('token')).data?.token).toBeDefined();
    expect(cluster.log.join()).not.toContain('signed');
  });
});

describe('an auto-generated token', () => {
  async function old(name: string, labels: Record<string, string> = {}): Promise<void> {
    await secrets().create({
      metadata: { name, labels, annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type: 'kubernetes.io/service-account-token',
    });
  }
  beforeEach(async () => {
    await start(newLegacyTokenCleanerController({ cleanUpPeriodMs: 3 * day }));
    const listed = ['unused', 'used', 'mounted'].map((name) => ({ name }));
    await core()
      .serviceAccounts('default')
      .create({ metadata: { name: 'robot' }, secrets: listed });
    await old('unused');
    await old('used', { 'kubernetes.io/legacy-token-last-used': '2026-03-31' });
    await old('mounted');
    await old('made-by-hand');
    const env = [{ name: 'T', valueFrom: { secretKeyRef: { name: 'mounted', key: 'token' } } }];
    await core()
      .pods('default')
      .create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'x', env }] } });
  });

  it('is invalidated when it was unused for a period, and deleted after another one', async () => {
    // The first day, on which the use was recorded only in part, does not count.
    await cluster.advance(3 * day, day);
    expect(writes()).toEqual([]);
    await cluster.advance(day);
    const { metadata } = await secrets().get('unused');
    expect(metadata.labels).toEqual({ 'kubernetes.io/legacy-token-invalid-since': '2026-03-05' });
    expect(writes()).toHaveLength(1);
    await cluster.advance(3 * day, day);
    expect(await secretNames()).toContain('unused');
    await cluster.advance(day);
    expect(await secretNames()).toEqual(['made-by-hand', 'mounted', 'used']);
    expect(writes()).toHaveLength(2);
  });
});

describe('bootstrap tokens', () => {
  const create = (id: string, data: Record<string, string> = {}) =>
    secrets('kube-system').create({
      metadata: { name: `bootstrap-token-${id}` },
      type: 'bootstrap.kubernetes.io/token',
      stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...data },
    });
  beforeEach(() => start(bootstrapSignerController, tokenCleanerController));

  it('are deleted when they expire, by a controller that is off by default', async () => {
    expect([bootstrapSignerController, tokenCleanerController].every(({ isOffByDefault }) => isOffByDefault)).toBe(
      true,
    );
    const names = async () => (await secrets('kube-system').list()).items.map(({ metadata }) => metadata.name).sort();
    await create('abcdef', { expiration: '2026-03-01T12:30:00Z' });
    await create('ghijkl', { expiration: '2026-03-01T14:00:00+01:00' });
    await create('mnopqr');
    await create('stuvwx', { expiration: '2026-03-01T11:59:00Z' });
    await cluster.settle();
    expect(await names()).toEqual(['bootstrap-token-abcdef', 'bootstrap-token-ghijkl', 'bootstrap-token-mnopqr']);
    await cluster.advance(30 * 60_000);
    expect(await names()).toEqual(['bootstrap-token-ghijkl', 'bootstrap-token-mnopqr']);
    await cluster.advance(30 * 60_000);
    expect(await names()).toEqual(['bootstrap-token-mnopqr']);
  });

  it('sign the cluster-info ConfigMap', async () => {
    const info = () => core().configMaps('kube-public').get('cluster-info');
    await core()
      .configMaps('kube-public')
      .create({
        metadata: { name: 'cluster-info' },
        data: { kubeconfig: 'my config', 'jws-kubeconfig-zzzzzz': 'old' },
      });
    await cluster.settle();
    expect((await info()).data).toEqual({ kubeconfig: 'my config' });
    await create('abcdef');
    await create('ghijkl', { 'usage-bootstrap-signing': 'false' });
    await cluster.settle();
    const signature = 'eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..1wbcdD_BiiZlSxIS8l3fOL8Stl2_1z389YAassHBDbc';
    expect((await info()).data).toEqual({ kubeconfig: 'my config', 'jws-kubeconfig-abcdef': signature });
    expect(await writesOf(() => cluster.advance(day, day / 4))).toEqual([]);
    await core()
      .configMaps('kube-public')
      .patch('cluster-info', 'merge', { data: { kubeconfig: 'other' } });
    await cluster.settle();
    expect((await info()).data?.['jws-kubeconfig-abcdef']).not.toBe(signature);
    await secrets('kube-system').delete('bootstrap-token-abcdef');
    await cluster.settle();
    expect((await info()).data).toEqual({ kubeconfig: 'other' });
  });
});
