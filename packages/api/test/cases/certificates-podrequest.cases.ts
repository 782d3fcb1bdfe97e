import type { Base, Case, CaseSuite } from '../case.ts';
import { certificates, pem, proofs, requests, tampered } from '../certificates.ts';
import { edit } from '../edit.ts';

const request = (name: string, spec: object): Base => ({
  object: {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'PodCertificateRequest',
    metadata: { name },
    spec: {
      signerName: 'example.com/signer',
      podName: 'pod',
      podUID: 'pod-uid',
      serviceAccountName: 'default',
      serviceAccountUID: 'account-uid',
      nodeName: 'node',
      nodeUID: 'node-uid',
      ...spec,
    },
  },
});
const create = (changes: Record<string, unknown>): Case => ({ create: 'request', change: edit(changes) });
const stub = (stubPKCS10Request: string): Case => create({ 'spec.stubPKCS10Request': stubPKCS10Request });
const proven = (pkixPublicKey?: string, proofOfPossession?: string): Case =>
  create({
    'spec.stubPKCS10Request': undefined,
    'spec.pkixPublicKey': pkixPublicKey,
    'spec.proofOfPossession': proofOfPossession,
  });
const update = (base: string, changes: Record<string, unknown>, subresource?: string): Case => ({
  update: base,
  change: edit(changes),
  ...(subresource && { subresource }),
});
const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'X',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const status = (base: string, content: object): Case => update(base, { status: content }, 'status');
const issued = (certificateChain: string, more: object = {}): Case =>
  status('request', { conditions: [condition('Issued')], certificateChain, ...more });
const leaf = pem(certificates.leaf, 'CERTIFICATE');
const long = Buffer.alloc(10 * 1024 + 1).toString('base64');

export const suite: CaseSuite = {
  features: { PodCertificateRequest: true },
  bases: {
    request: request('request', { stubPKCS10Request: requests.ecdsa }),
    proven: request('proven', { pkixPublicKey: proofs.ed25519Key, proofOfPossession: proofs.ed25519Proof }),
    annotated: request('annotated', {
      stubPKCS10Request: requests.ecdsa,
      unverifiedUserAnnotations: { 'example.com/b': 'c', 'example.com/a': 'd' },
    }),
    denied: {
      ...request('denied', { stubPKCS10Request: requests.ecdsa }),
      status: { conditions: [condition('Denied')] },
    },
    failed: {
      ...request('failed', { stubPKCS10Request: requests.ecdsa }),
      status: { conditions: [condition('Failed')] },
    },
  },
  cases: {
    'a certificate lasts a day by default': create({ 'status.certificateChain': 'x' }),
    'a request must say all': create({ spec: {} }),
    'bad names are refused': create({
      'spec.signerName': 'signer',
      'spec.podName': 'A_b',
      'spec.podUID': 'x'.repeat(129),
      'spec.serviceAccountName': 'A_b',
      'spec.serviceAccountUID': 'x'.repeat(129),
      'spec.nodeName': 'A_b',
      'spec.nodeUID': 'x'.repeat(129),
      'spec.maxExpirationSeconds': 3599,
    }),
    'a certificate lasts three months at most': create({ 'spec.maxExpirationSeconds': 91 * 86400 + 1 }),
    'a certificate may last three months': create({ 'spec.maxExpirationSeconds': 91 * 86400 }),
    'a certificate of Kubernetes lasts a day at most': create({
      'spec.signerName': 'kubernetes.io/x',
      'spec.maxExpirationSeconds': 86401,
    }),
    'annotations have prefixes': create({ 'spec.unverifiedUserAnnotations': { a: 'b' } }),
    'annotations have names': create({ 'spec.unverifiedUserAnnotations': { 'a b/c': 'd' } }),
    'annotations may have capital letters': create({ 'spec.unverifiedUserAnnotations': { 'Example.com/a': 'd' } }),
    'annotations that are too long are refused': create({
      'spec.unverifiedUserAnnotations': { 'example.com/a': 'x'.repeat(256 * 1024) },
    }),
    'elliptic keys are taken': stub(requests.p384),
    'Ed25519 keys are taken': stub(requests.ed25519),
    'RSA keys are taken': stub(requests.rsa3072),
    'small curves are refused': stub(requests.p224),
    'small RSA keys are refused': stub(requests.rsa1024),
    'what is no request is refused': stub(certificates.ca),
    'a changed request is refused': stub(tampered(requests.ecdsa)),
    'a request that is too long is refused': stub(long),
    'an elliptic key with its proof is taken': proven(proofs.ecdsaKey, proofs.ecdsaProof),
    'an Ed25519 key with its proof is taken': proven(proofs.ed25519Key, proofs.ed25519Proof),
    'an RSA key with its proof is taken': proven(proofs.rsaKey, proofs.rsaProof),
    'an elliptic key with another proof is refused': proven(proofs.ecdsaKey, proofs.ed25519Proof),
    'an Ed25519 key with another proof is refused': proven(proofs.ed25519Key, proofs.ecdsaProof),
    'an RSA key with another proof is refused': proven(proofs.rsaKey, tampered(proofs.rsaProof)),
    'a key of a small curve is refused': proven(proofs.p224Key, proofs.ecdsaProof),
    'a small RSA key is refused': proven(proofs.rsa1024Key, proofs.ecdsaProof),
    'what is no key is refused': proven(certificates.ca, proofs.ecdsaProof),
    'a key that is too long is refused': proven(long, proofs.ecdsaProof),
    'a proof that is too long is refused': proven(proofs.ecdsaKey, long),
    'a key without proof is refused': proven(proofs.ecdsaKey),
    'a request with a key is refused': create({ 'spec.pkixPublicKey': proofs.ecdsaKey }),
    'labels can change': update('request', { 'metadata.labels': { a: 'b' }, status: { certificateChain: 'x' } }),
    'a request cannot change': update('proven', { 'spec.podName': 'other' }),
    'a request with annotations cannot change': update('annotated', { 'spec.nodeName': 'other' }),
    'a request can be denied': status('request', { conditions: [condition('Denied')] }),
    'who fails a request issues nothing': status('request', {
      conditions: [condition('Failed')],
      certificateChain: 'x',
    }),
    'nothing changes before it is decided': status('request', { certificateChain: 'x' }),
    'nothing need change': status('request', {}),
    'metadata stays': update('request', { 'metadata.labels': { a: 'b' }, spec: {} }, 'status'),
    'nothing changes after it was denied': status('denied', { conditions: [condition('Issued')] }),
    'nothing changes after it failed': status('failed', { conditions: [] }),
    'what failed may stay so': status('failed', { conditions: [condition('Failed')] }),
    'bad conditions are refused': status('request', {
      conditions: [condition('Issued', 'False'), condition('Denied'), condition('Pending'), condition('Denied')],
    }),
    'no certificate cannot be issued': issued(''),
    'what is no certificate cannot be issued': issued('hello'),
    'other PEM cannot be issued': issued(pem(certificates.leaf)),
    'what is broken cannot be issued': issued(pem('AAAA', 'CERTIFICATE')),
    'what is for another key cannot be issued': issued(pem(certificates.edLeaf, 'CERTIFICATE')),
    'a certificate for bad names cannot be issued': issued(pem(certificates.badlyNamedLeaf, 'CERTIFICATE')),
    'a certificate needs its times': issued(leaf),
    'a chain that is too long cannot be issued': issued('x'.repeat(100 * 1024 + 1)),
    'times must be those of the certificate': issued(leaf, {
      notBefore: '2026-01-01T00:00:01Z',
      notAfter: '2026-01-01T00:00:00Z',
      beginRefreshAt: '2026-01-01T00:00:00Z',
    }),
    'a request is shown': { table: 'request' },
    'a denied request is shown': { table: 'denied' },
    'a request is shown with its annotations': { table: 'annotated' },
  },
};
