import { describe, expect, it } from 'vitest';
import { certificates, pem, requests } from '../../../test/certificates.ts';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { PodCertificateRequest, PodCertificateRequestStatus } from '../../generated/certificates/v1beta1.ts';
import { validatePodCertificateRequestStatus } from './pod-certificate-request-status.ts';

const begin = '2026-01-01T00:00:00Z';
const end = '2026-01-01T12:00:00Z';
const spec = {
  signerName: 'a.b/c',
  podName: 'p',
  podUID: 'u',
  serviceAccountName: 's',
  serviceAccountUID: 'u',
  nodeName: 'n',
  nodeUID: 'u',
  maxExpirationSeconds: 86400,
  stubPKCS10Request: requests.ecdsa,
};
const leaf = pem(certificates.leaf, 'CERTIFICATE');
const good: PodCertificateRequestStatus = {
  conditions: [{ type: 'Issued', status: 'True', reason: 'X', message: '', lastTransitionTime: begin }],
  certificateChain: leaf + pem(certificates.ca, 'CERTIFICATE'),
  notBefore: begin,
  notAfter: end,
  beginRefreshAt: '2026-01-01T06:00:00Z',
};

interface Change {
  readonly status?: PodCertificateRequestStatus;
  readonly maxExpirationSeconds?: number;
  readonly now?: string;
}

function problemsOf({ status, maxExpirationSeconds = 86400, now = begin }: Change): string[] {
  const object = (content: PodCertificateRequestStatus): PodCertificateRequest => ({
    metadata: {},
    spec: { ...spec, maxExpirationSeconds },
    status: content,
  });
  const context = { features: FeatureGates.defaults, now: () => new Date(now) };
  return validatePodCertificateRequestStatus(object({ ...good, ...status }), object({}), context).map(String);
}

const chain = (text: string) => `status.certificateChain: Invalid value: ${text}`;

/** Expected errors with upstream's messages. The clock is set to the time of the test certificates. */
const cases: Record<string, readonly [Change, string[]]> = {
  'a valid certificate can be issued': [{}, []],
  'notBefore must be within five minutes of the current time': [
    { now: '2026-01-01T00:05:00Z' },
    [`status.notBefore: Invalid value: "${begin}": must be set to within 5 minutes of kube-apiserver's current time`],
  ],
  'the clock may be almost five minutes behind': [{ now: '2025-12-31T23:55:01Z' }, []],
  'notAfter must be that of the certificate': [
    { status: { notAfter: begin } },
    [`status.notAfter: Invalid value: "${begin}": must be set to the NotAfter time encoded in the leaf certificate`],
  ],
  'a certificate lasts an hour at least': [
    { status: { certificateChain: pem(certificates.shortLeaf, 'CERTIFICATE'), notAfter: '2026-01-01T00:30:00Z' } },
    [chain('1800000000000: leaf certificate lifetime must be >= 1 hour')],
  ],
  'a certificate lasts no longer than asked for': [
    { maxExpirationSeconds: 3600 },
    [chain('43200000000000: leaf certificate lifetime must be <= spec.maxExpirationSeconds (3600)')],
  ],
  'beginRefreshAt must be at least ten minutes after notBefore': [
    { status: { beginRefreshAt: '2026-01-01T00:09:59Z' } },
    [
      'status.beginRefreshAt: Invalid value: "2026-01-01T00:09:59Z": must be at least 10 minutes after status.notBefore',
    ],
  ],
  'beginRefreshAt must be at least ten minutes before notAfter': [
    { status: { beginRefreshAt: '2026-01-01T11:50:01Z' } },
    [
      'status.beginRefreshAt: Invalid value: "2026-01-01T11:50:01Z": must be at least 10 minutes before status.notAfter',
    ],
  ],
  'a certificate may have names': [{ status: { certificateChain: pem(certificates.namedLeaf, 'CERTIFICATE') } }, []],
};

describe('a certificate for a pod', () => {
  it.each(Object.entries(cases))('%s', (_, [change, problems]) => {
    expect(problemsOf(change)).toEqual(problems);
  });

  it.each([
    ['other PEM', pem(certificates.ca), 'issued certificate chain must consist entirely of CERTFICATE PEM blocks'],
    ['broken certificates', pem('AAAA', 'CERTIFICATE'), 'intermediate certificate does not parse as valid X.509'],
  ])('must not be followed by %s', (_, rest, detail) => {
    const certificateChain = leaf + rest;
    expect(problemsOf({ status: { certificateChain } })).toEqual([
      chain(`${JSON.stringify(certificateChain)}: ${detail}`),
    ]);
  });
});
