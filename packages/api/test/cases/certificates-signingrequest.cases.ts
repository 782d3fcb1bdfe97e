import type { Base, Case, CaseSuite } from '../case.ts';
import { certificates, encoded, pem, requests, tampered } from '../certificates.ts';
import { edit } from '../edit.ts';

const request = (name: string, spec: object = {}): Base => ({
  object: {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: encoded(pem(requests.ecdsa)),
      signerName: 'example.com/signer',
      usages: ['client auth', 'digital signature'],
      ...spec,
    },
  },
});
const create = (changes: Record<string, unknown>): Case => ({ create: 'request', change: edit(changes) });
const ofRequest = (text: string): Case => create({ 'spec.request': encoded(text) });
const update = (base: string, changes: Record<string, unknown>, subresource?: string): Case => ({
  update: base,
  change: edit(changes),
  ...(subresource && { subresource }),
});
const times = { lastUpdateTime: '2026-01-01T00:00:00Z', lastTransitionTime: '2026-01-01T00:00:00Z' };
const condition = (type: string, status = 'True') => ({ type, status, ...times });
const issue = (certificate: string, conditions?: object[]): Case =>
  update(
    'request',
    { 'status.certificate': encoded(certificate), ...(conditions && { 'status.conditions': conditions }) },
    'status',
  );
const approve = (...conditions: object[]): Case => update('request', { 'status.conditions': conditions }, 'approval');
const ca = pem(certificates.ca, 'CERTIFICATE');
const der = (base64: string) => Buffer.from(base64, 'base64');
const concatenated = Buffer.concat([der(certificates.ca), der(certificates.leaf)]).toString('base64');
const followed = Buffer.concat([der(requests.ecdsa), Buffer.of(0)]).toString('base64');

export const suite: CaseSuite = {
  bases: {
    request: request('cases-request'),
    lasting: request('cases-lasting', { expirationSeconds: 7200 }),
    approved: {
      ...request('cases-approved'),
      status: { certificate: encoded(ca), conditions: [condition('Failed'), condition('Other', 'False')] },
    },
  },
  cases: {
    'a request is of whoever sends it': create({
      'spec.username': 'mallory',
      'spec.uid': 'x',
      'spec.groups': ['system:masters'],
      'spec.extra': { a: ['b'] },
      'status.conditions': [condition('Approved')],
    }),
    'a request may have any name': create({ 'metadata.name': 'A b:c_' }),
    'but a name must fit into a URL': create({ 'metadata.name': 'a/b' }),
    'requests by other keys are taken': ofRequest(pem(requests.p384)),
    'requests by small curves are taken': ofRequest(pem(requests.p224)),
    'requests by Ed25519 are taken': ofRequest(pem(requests.ed25519)),
    'requests by RSA are taken': ofRequest(pem(requests.rsa1024)),
    'requests by RSA with PSS are taken': ofRequest(pem(requests.rsa1024Pss)),
    'requests by RSA with SHA-1 are taken': ofRequest(pem(requests.rsa1024Sha1)),
    'requests by RSA with MD5 are refused': ofRequest(pem(requests.rsa1024Md5)),
    'requests by RSA of few bits are refused': ofRequest(pem(requests.rsa512)),
    'requests with other names are taken': ofRequest(pem(requests.nodeWithUri)),
    'what stands around a request does not matter': ofRequest(
      `hello\n${pem(requests.ecdsa, undefined, 'A: b\n\n')}bye`,
    ),
    'no request is refused': create({ 'spec.request': undefined }),
    'what is no PEM is refused': ofRequest('hello'),
    'other PEM is refused': ofRequest(pem(requests.ecdsa, 'CERTIFICATE')),
    'other PEM before the request is refused': ofRequest(ca + pem(requests.ecdsa)),
    'an empty request is refused': ofRequest(pem('')),
    'a request that is none is refused': ofRequest(pem(certificates.ca)),
    'a request that is no sequence is refused': ofRequest(pem('AgEB')),
    'a request that is cut off is refused': ofRequest(pem(requests.ecdsa.slice(0, 80))),
    'a request of many lengths is refused': ofRequest(pem('MIAA')),
    'a request with something behind it is refused': ofRequest(pem(followed)),
    'a changed signature of an elliptic key is refused': ofRequest(pem(tampered(requests.ecdsa))),
    'a changed name is refused': ofRequest(pem(tampered(requests.ecdsa, 21))),
    'a name of bad characters is refused': ofRequest(pem(tampered(requests.ecdsa, 22))),
    'a changed signature of an RSA key is refused': ofRequest(pem(tampered(requests.rsa1024))),
    'a changed signature of an RSA key with PSS is refused': ofRequest(pem(tampered(requests.rsa1024Pss))),
    'a changed signature of an Ed25519 key is refused': ofRequest(pem(tampered(requests.ed25519))),
    'a request must say what for': create({ 'spec.usages': [], 'spec.signerName': undefined }),
    'bad usages are refused': create({ 'spec.usages': ['any', 'fun', 'any', 'fun', ''] }),
    'bad signers are refused': create({ 'spec.signerName': 'signer', 'spec.expirationSeconds': 599 }),
    'more bad signers are refused': create({ 'spec.signerName': 'A_b/c_d' }),
    'the legacy signer is refused': create({ 'spec.signerName': 'kubernetes.io/legacy-unknown' }),
    'ten minutes are long enough': create({ 'spec.expirationSeconds': 600 }),

    'an update changes metadata only': update('request', {
      'metadata.labels': { a: 'b' },
      spec: {},
      'status.conditions': [condition('Approved')],
    }),
    'an update with bad labels is refused': update('request', { 'metadata.labels': { 'a b': '' } }),
    'a certificate can be issued': issue(ca + pem(certificates.leaf, 'CERTIFICATE'), [condition('Other', 'Unknown')]),
    'many certificates can be issued at once': issue(pem(concatenated, 'CERTIFICATE')),
    'what is no certificate cannot be issued': issue('hello'),
    'what is broken cannot be issued': issue(pem('AAAA', 'CERTIFICATE')),
    'a certificate that is cut off cannot be issued': issue(pem(certificates.ca.slice(0, 80), 'CERTIFICATE')),
    'a request cannot be issued': issue(pem(requests.ecdsa, 'CERTIFICATE')),
    'other PEM cannot be issued': issue(pem(certificates.ca, 'TRUSTED "CERTIFICATE"')),
    'headers cannot be issued': issue(pem(certificates.ca, 'CERTIFICATE', 'A: b\n\n')),
    'nothing cannot be issued': issue(pem('', 'CERTIFICATE')),
    'a certificate stays': update(
      'approved',
      { 'status.certificate': encoded(pem(certificates.leaf, 'CERTIFICATE')) },
      'status',
    ),
    'a certificate cannot be taken away': update('approved', { 'status.certificate': undefined }, 'status'),
    'failure stays': update('approved', { 'status.conditions': [] }, 'status'),
    'failure stays for those who approve': update(
      'approved',
      { 'status.conditions': [condition('Denied')] },
      'approval',
    ),
    'status cannot approve': issue(ca, [condition('Approved'), condition('Denied')]),
    'bad conditions are refused': issue(ca, [
      condition('Failed', 'False'),
      condition('', 'Maybe'),
      condition('X', ''),
      condition('X', 'False'),
      condition('Failed', 'True'),
    ]),
    'a request can be approved': approve({ ...condition('Approved'), reason: 'x', message: 'y' }, condition('Other')),
    'approval takes conditions only': update(
      'approved',
      {
        'metadata.labels': { a: 'b' },
        spec: {},
        'status.certificate': undefined,
        'status.conditions': [condition('Failed'), condition('Approved')],
      },
      'approval',
    ),
    'a request cannot be approved and denied': approve(condition('Approved'), condition('Denied')),
    'nor the other way round': approve(condition('Denied'), condition('Approved'), condition('Denied')),
    'a pending request is shown': { table: 'request' },
    'the duration of a request is shown': { table: 'lasting' },
    'an issued request is shown': { table: 'approved' },
  },
};
