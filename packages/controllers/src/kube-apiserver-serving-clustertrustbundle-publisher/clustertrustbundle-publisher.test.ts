import { issueKeyPair } from '@coxswain/client/x509';
import { beforeEach, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { bundleName, clusterTrustBundlePublisherController } from './index.ts';

const newBundle = (): string =>
  issueKeyPair({ commonName: 'ca', isCA: true, notBefore: new Date(0), notAfter: new Date(4e12) }).certificatePem;

let caBundle = newBundle();
let cluster: TestCluster;

beforeEach(async () => {
  cluster = await TestCluster.start({
    controllers: [clusterTrustBundlePublisherController({ caBundle: () => caBundle })],
    server: {
      featureGates: ['ClusterTrustBundle=true'],
      runtimeConfig: new Map([['certificates.k8s.io/v1beta1', 'true']]),
    },
  });
  return () => cluster.stop();
});

it('the trust bundle of the API server is published, and the previous one deleted', async () => {
  const bundles = cluster.clients.certificates.v1beta1.clusterTrustBundles();
  const published = async () =>
    (await bundles.list()).items.map(({ metadata, spec }) => [metadata.name, spec.signerName, spec.trustBundle]);
  await cluster.settle();
  const signer = 'kubernetes.io/kube-apiserver-serving';
  expect(await published()).toEqual([[bundleName(caBundle), signer, caBundle]]);
  expect(bundleName(caBundle)).toMatch(/^kubernetes\.io:kube-apiserver-serving:[0-9a-f]{24}$/);
  await bundles.create({ metadata: { name: 'mine' }, spec: { trustBundle: caBundle } });
  await cluster.stopControllers();
  caBundle = newBundle();
  cluster.startControllers();
  await cluster.settle();
  expect(await published()).toEqual([
    [bundleName(caBundle), signer, caBundle],
    ['mine', undefined, expect.any(String)],
  ]);
  const writes = cluster.spy.writes.length;
  await cluster.advance(3_600_000);
  expect(cluster.spy.writes.length).toBe(writes);
});
