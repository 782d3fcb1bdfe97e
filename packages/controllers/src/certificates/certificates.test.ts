import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { parseSigningRequest } from '@coxswain/api';
import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { FakeClock } from '@coxswain/client';
import { createCertificateRequest, generateKey } from '@coxswain/client/certificates';
import { issueKeyPair } from '@coxswain/client/x509';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { isStale } from './cleaner-controller.ts';
import {
  csrApprovingController,
  csrCleanerController,
  csrSigningController,
  podCertificateRequestCleanerController,
} from './index.ts';
import { kubeletClientProblem, kubeletServingProblem } from './kubelet-requests.ts';
import { durationMs, signRequest, validityOf } from './sign-request.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-06-01T12:00:00Z');
const authority = issueKeyPair({
  commonName: 'ca',
  isCA: true,
  notBefore: new Date(start - day),
  notAfter: new Date(start + 3650 * day),
});

const key = generateKey();
const node = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const request = (template: Parameters<typeof createCertificateRequest>[0]): string =>
  base64(createCertificateRequest(template, key));

describe('the certificate controllers', () => {
  let cluster: TestCluster;

  beforeEach(async () => {
    cluster = await TestCluster.start({
      clock: new FakeClock(start),
      controllers: [
        csrApprovingController,
        csrSigningController({ authorities: () => authority }),
        csrCleanerController,
      ],
      server: { authorizationMode: ['RBAC'] },
    });
    return () => cluster.stop();
  });

  const requests = () => cluster.clients.certificates.v1.certificateSigningRequests();
  const create = (name: string, spec: Partial<CertificateSigningRequest['spec']>) =>
    requests().create({
      metadata: { name },
      spec: {
        request: request(node),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
        ...spec,
      },
    });

  async function approve(name: string, type: 'Approved' | 'Denied' = 'Approved'): Promise<void> {
    const conditions = [{ type, status: 'True', reason: 'Test', message: 'by hand' }];
    await requests().updateApproval(name, { ...(await requests().get(name)), status: { conditions } });
    await cluster.settle();
  }

  const certificateOf = async (name: string): Promise<X509Certificate> =>
    new X509Certificate(Buffer.from((await requests().get(name)).status?.certificate ?? '', 'base64'));

  it('approve and sign the client certificate of a kubelet that has the permission', async () => {
    await create('n1', { expirationSeconds: 86_400 });
    await cluster.settle();
    const { status } = await requests().get('n1');
    expect(status?.conditions).toEqual([
      expect.objectContaining({
        type: 'Approved',
        status: 'True',
        reason: 'AutoApproved',
        message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
      }),
    ]);
    const certificate = await certificateOf('n1');
    expect(certificate.verify(authority.certificate.x509.publicKey)).toBe(true);
    expect(certificate.publicKey.equals(createPublicKey(key))).toBe(true);
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:n1');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.ca).toBe(false);
    expect(Date.parse(certificate.validFrom)).toBe(start - 5 * minute);
    expect(Date.parse(certificate.validTo)).toBe(start + day - 5 * minute);
    const writes = cluster.spy.writes.length;
    await cluster.advance(30 * minute, 10 * minute);
    expect(cluster.spy.writes.length).toBe(writes);
  });

  it.each<[sentence: string, spec: Partial<CertificateSigningRequest['spec']>]>([
    [
      'is for a serving certificate',
      {
        signerName: 'kubernetes.io/kubelet-serving',
        usages: ['digital signature', 'server auth'],
        request: request({ ...node, dnsNames: ['n1'] }),
      },
    ],
    ['is for a user', { signerName: 'kubernetes.io/kube-apiserver-client', request: request({ commonName: 'jane' }) }],
    ['is for another group', { request: request({ ...node, organizations: ['system:masters'] }) }],
    ['names another signer', { signerName: 'example.com/mine' }],
  ])('do not approve a request that %s', async (_, spec) => {
    await create('x', spec);
    await cluster.settle();
    expect((await requests().get('x')).status).toEqual({});
    expect(cluster.spy.writes).toEqual([]);
  });

  it('approve the renewal of a node certificate once the permission is granted', async () => {
    const allow = async (resource: string): Promise<void> => {
      const { clusterRoles, clusterRoleBindings } = cluster.clients.rbac.v1;
      const name = resource.replace('/', '-');
      const rules = [{ apiGroups: ['certificates.k8s.io'], resources: [resource], verbs: ['create'] }];
      await clusterRoles().create({ metadata: { name }, rules });
      await clusterRoleBindings().create({
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:node:n1' }],
      });
    };
    await allow('certificatesigningrequests');
    await cluster.rest
      .post()
      .apiVersion('certificates.k8s.io/v1')
      .resource('certificatesigningrequests')
      .setHeader('Impersonate-User', 'system:node:n1')
      .body({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: 'n1' },
        spec: {
          request: request(node),
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
          usages: ['digital signature', 'client auth'],
        },
      })
      .do();
    await cluster.settle();
    expect((await requests().get('n1')).status).toEqual({});
    expect(cluster.log.at(-1)).toContain(
      'recognized csr \\"n1\\" as [selfnodeclient nodeclient] but subject access review was not approved',
    );
    await allow('certificatesigningrequests/selfnodeclient');
    await cluster.advance(minute, 10_000);
    expect((await requests().get('n1')).status?.conditions?.[0]?.message).toBe(
      'Auto approving self kubelet client certificate after SubjectAccessReview.',
    );
  });

  it('sign manually approved requests', async () => {
    await create('jane', {
      signerName: 'kubernetes.io/kube-apiserver-client',
      request: request({ commonName: 'jane', organizations: ['dev', 'ops'] }),
      usages: ['client auth'],
    });
    await cluster.settle();
    await approve('jane');
    const certificate = await certificateOf('jane');
    expect(certificate.subject).toBe('O=dev\nO=ops\nCN=jane');
    expect(Date.parse(certificate.validTo)).toBe(start + 365 * day - 5 * minute);
    await create('serving', {
      signerName: 'kubernetes.io/kubelet-serving',
      request: request({ ...node, dnsNames: ['n1'], ipAddresses: ['10.0.0.1', 'fd00::1'] }),
      usages: ['digital signature', 'key encipherment', 'server auth'],
    });
    await approve('serving');
    expect((await certificateOf('serving')).subjectAltName).toBe(
      'DNS:n1, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1',
    );
  });

  it('set the Failed condition on a request that the signer rejects', async () => {
    await create('x', { signerName: 'kubernetes.io/kube-apiserver-client', usages: ['server auth'] });
    await approve('x');
    expect((await requests().get('x')).status?.conditions?.[1]).toMatchObject({
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: 'invalid usage for client certificate: server auth',
    });
    const writes = cluster.spy.writes.length;
    await cluster.advance(30 * minute);
    expect(cluster.spy.writes.length).toBe(writes);
  });

  it('retry when writing the certificate fails', async () => {
    let failures = 3;
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'PUT' && url.includes('/status') && failures-- > 0)
        throw newInternalError(new Error('out of order'));
    };
    await create('n1', {});
    await cluster.advance(5000, 200);
    expect((await certificateOf('n1')).subject).toContain('system:node:n1');
    expect(cluster.spy.writes.filter(({ url }) => url.includes('/status'))).toHaveLength(4);
  });

  it('delete old requests', async () => {
    await create('signed', {});
    await create('pending', { signerName: 'example.com/mine' });
    await create('denied', { signerName: 'example.com/mine' });
    await cluster.settle();
    await approve('denied', 'Denied');
    const names = async () => (await requests().list()).items.map(({ metadata }) => metadata.name);
    await cluster.advance(hour);
    expect(await names()).toEqual(['denied', 'pending', 'signed']);
    await cluster.advance(hour);
    expect(await names()).toEqual(['pending']);
    await cluster.advance(23 * hour, hour);
    expect(await names()).toEqual([]);
  });
});

describe('isStale', () => {
  const now = start + 100 * day;
  const ago = (ms: number): string => new Date(now - ms).toISOString();
  const made = (status: CertificateSigningRequest['status'], ageMs = 0): CertificateSigningRequest => ({
    metadata: { creationTimestamp: ago(ageMs) },
    spec: { request: '', signerName: '' },
    ...(status && { status }),
  });
  const condition = (type: string, ageMs: number) => ({ type, status: 'True', lastUpdateTime: ago(ageMs) });
  const expired = issueKeyPair({ commonName: 'x', notBefore: new Date(0), notAfter: new Date(now - 1000) });
  it.each<[sentence: string, request: CertificateSigningRequest, isOld: boolean]>([
    ['has been pending for a day', made({}, 24 * hour), false],
    ['has been pending for longer than a day', made({}, 24 * hour + 1), true],
    ['was signed an hour ago', made({ conditions: [condition('Approved', hour)], certificate: 'x' }), false],
    [
      'was signed more than an hour ago',
      made({ conditions: [condition('Approved', hour + 1)], certificate: 'x' }),
      true,
    ],
    ['was approved a day ago and never signed', made({ conditions: [condition('Approved', 24 * hour)] }), false],
    [
      'was approved more than a day ago and never signed',
      made({ conditions: [condition('Approved', 24 * hour + 1)] }),
      true,
    ],
    ['was denied more than an hour ago', made({ conditions: [condition('Denied', hour + 1)] }), true],
    [
      'failed more than an hour ago',
      made({ conditions: [condition('Approved', 0), condition('Failed', hour + 1)] }),
      true,
    ],
    [
      'has expired',
      made({ conditions: [condition('Approved', 0)], certificate: base64(expired.certificatePem) }),
      true,
    ],
  ])('of a request that %s', (_, request, isOld) => {
    expect(isStale(request, now)).toBe(isOld);
  });
});

describe('certificates for kubelets', () => {
  const parsed = (template: Parameters<typeof createCertificateRequest>[0]) => parseSigningRequest(request(template));
  const client = ['digital signature', 'client auth'];
  const serving = ['digital signature', 'server auth'];
  it.each<[template: Parameters<typeof createCertificateRequest>[0], usages: string[], problem: string | undefined]>([
    [node, client, undefined],
    [node, [...client, 'key encipherment'], undefined],
    [node, ['client auth'], 'usages did not match [client auth digital signature key encipherment]'],
    [node, [...client, 'server auth'], 'usages did not match [client auth digital signature key encipherment]'],
    [{ ...node, commonName: 'n1' }, client, 'subject common name does not begin with system:node:'],
    [{ ...node, organizations: [] }, client, 'subject organization is not system:nodes'],
    [{ ...node, organizations: ['system:nodes', 'x'] }, client, 'subject organization is not system:nodes'],
    [{ ...node, dnsNames: ['a'] }, client, 'DNS subjectAltNames are not allowed'],
    [{ ...node, ipAddresses: ['10.0.0.1'] }, client, 'IP subjectAltNames are not allowed'],
  ])('as clients: %j for %j', (template, usages, problem) => {
    expect(kubeletClientProblem(parsed(template), usages)).toBe(problem);
  });
  it.each<[template: Parameters<typeof createCertificateRequest>[0], usages: string[], problem: string | undefined]>([
    [{ ...node, dnsNames: ['a'] }, serving, undefined],
    [{ ...node, ipAddresses: ['10.0.0.1'] }, [...serving, 'key encipherment'], undefined],
    [node, serving, 'DNS or IP subjectAltName is required'],
    [{ ...node, dnsNames: ['a'] }, client, 'usages did not match [digital signature key encipherment server auth]'],
    [{ ...node, dnsNames: ['a'], commonName: 'n' }, serving, 'subject common name does not begin with system:node:'],
  ])('as servers: %j for %j', (template, usages, problem) => {
    expect(kubeletServingProblem(parsed(template), usages)).toBe(problem);
  });
});

describe('the validity of certificates', () => {
  it.each([
    [undefined, hour, hour],
    [7200, hour, hour],
    [1800, hour, 30 * minute],
    [1, hour, 10 * minute],
  ])('for expirationSeconds %s and a maximum of %s ms', (seconds, max, expected) => {
    expect(durationMs(seconds, max)).toBe(expected);
  });

  it.each([
    [hour, start + day, -5 * minute, hour],
    [8 * hour, start + day, -5 * minute, 8 * hour - 5 * minute],
    [9 * day, start + day, -5 * minute, day],
  ])('for a lifetime of %s ms and an authority that expires at %s', (lifetime, end, from, until) => {
    expect(validityOf(lifetime, start, new Date(end))).toEqual({
      notBefore: new Date(start + from),
      notAfter: new Date(start + until),
    });
  });

  it.each([
    [start, 'refusing to sign a certificate that expired in the past: NotAfter=2026-06-01 12:00:00 +0000 UTC'],
    [start - hour, 'the signer has expired: NotAfter=2026-06-01 11:00:00 +0000 UTC'],
  ])('fails for an authority that expired at %s', (end, message) => {
    expect(() => validityOf(hour, start, new Date(end))).toThrow(new Error(message));
  });
});

it('a request with an invalid signature is not signed', () => {
  const parsed = parseSigningRequest(request(node));
  const policy = { usages: ['client auth'], expirationSeconds: undefined, maxDurationMs: hour, now: start };
  const forged = { ...parsed, body: parsed.body.map((byte, i) => (i === 20 ? byte ^ 1 : byte)) };
  expect(() => signRequest(forged, authority, policy)).toThrow('unable to verify certificate request signature: ');
});

it('subject attributes other than the standard ones are not copied', () => {
  // O=dev, O=ops, OU=unit, UID=u1, CN=jane
  const pem = `-----BEGIN CERTIFICATE REQUEST-----
MIIBCjCBsAIBADBOMQwwCgYDVQQKDANkZXYxDDAKBgNVBAoMA29wczENMAsGA1UE
CwwEdW5pdDESMBAGCgmSJomT8ixkAQEMAnUxMQ0wCwYDVQQDDARqYW5lMFkwEwYH
KoZIzj0CAQYIKoZIzj0DAQcDQgAERQPyrPmvG3i8fn6P/y6tZsf6seKbnWyaz1Ux
WLoikk72p4qSYED+7S5mrK5pSpnBzfU6Ymd7l+EqQ29+XioYTaAAMAoGCCqGSM49
BAMCA0kAMEYCIQDJXgAY3R+46W3JhhDnqvqlqLaRwhbDrwd3NIB8lgqAjQIhALhw
98ObJfMVfpux8aCVw3xJ6+R1Z2X6su+WqFO6NICA
-----END CERTIFICATE REQUEST-----`;
  const policy = { usages: ['client auth'], expirationSeconds: undefined, maxDurationMs: hour, now: start };
  const certificate = new X509Certificate(signRequest(parseSigningRequest(base64(pem)), authority, policy));
  expect(certificate.subject).toBe('O=dev\nO=ops\nOU=unit\nCN=jane');
});

it('RSA and EC keys are signed', () => {
  for (const { privateKey } of [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ]) {
    const parsed = parseSigningRequest(base64(createCertificateRequest({ commonName: 'x' }, privateKey)));
    const policy = {
      usages: ['s/mime', 'any', 'crl sign', 'decipher only'],
      expirationSeconds: undefined,
      maxDurationMs: hour,
      now: start,
    };
    const certificate = new X509Certificate(signRequest(parsed, authority, policy));
    expect(certificate.publicKey.equals(createPublicKey(privateKey))).toBe(true);
    expect(certificate.keyUsage).toEqual(['2.5.29.37.0', '1.3.6.1.5.5.7.3.4']);
    expect(certificate.verify(authority.certificate.x509.publicKey)).toBe(true);
  }
});

it('PodCertificateRequests are deleted after 15 minutes', async () => {
  const cluster = await TestCluster.start({
    clock: new FakeClock(start),
    controllers: [podCertificateRequestCleanerController],
    server: {
      memory: true,
      runtimeConfig: new Map([['certificates.k8s.io/v1beta1', 'true']]),
      featureGates: ['PodCertificateRequest=true'],
    },
  });
  const requests = cluster.clients.certificates.v1beta1.podCertificateRequests('default');
  const pkcs10 = createCertificateRequest({ commonName: 'x' }, key).replace(/-----.*-----|\s/g, '');
  const ask = (name: string) =>
    requests.create({
      metadata: { name },
      spec: {
        signerName: 'example.com/signer',
        podName: 'p',
        podUID: 'u',
        serviceAccountName: 's',
        serviceAccountUID: 'u',
        nodeName: 'n',
        nodeUID: 'u',
        stubPKCS10Request: pkcs10,
      },
    });
  const names = async () => (await requests.list()).items.map(({ metadata }) => metadata.name);
  await ask('first');
  await cluster.advance(10 * minute, 5 * minute);
  await ask('second');
  expect(await names()).toEqual(['first', 'second']);
  let isRefused = true;
  cluster.spy.plan = ({ method }) => {
    if (method === 'DELETE' && isRefused) throw newInternalError(new Error('no'));
  };
  await cluster.advance(5 * minute);
  expect(await names()).toEqual(['first', 'second']);
  expect(cluster.log).toContain(
    'error "Unable to delete PodCertificateRequest" err="Internal error occurred: no" pcr="default/first"',
  );
  isRefused = false;
  await cluster.advance(5 * minute);
  expect(await names()).toEqual(['second']);
  await cluster.advance(5 * minute);
  expect(await names()).toEqual([]);
  await cluster.stop();
});
