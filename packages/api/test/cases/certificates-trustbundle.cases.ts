import type { Base, Case, CaseSuite } from '../case.ts';
import { certificates, pem, requests } from '../certificates.ts';
import { edit } from '../edit.ts';

const block = (base64: string, type = 'CERTIFICATE', headers = '') => pem(base64, type, headers);
const bundle = (name: string, spec: object, version = 'v1beta1'): Base => ({
  object: {
    apiVersion: `certificates.k8s.io/${version}`,
    kind: 'ClusterTrustBundle',
    metadata: { name },
    spec: { trustBundle: block(certificates.ca), ...spec },
  },
});
const create = (changes: Record<string, unknown>): Case => ({ create: 'bundle', change: edit(changes) });
const ofText = (trustBundle: string): Case => create({ 'spec.trustBundle': trustBundle });
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });

export const suite: CaseSuite = {
  features: { ClusterTrustBundle: true },
  bases: {
    bundle: bundle('cases-bundle', {}),
    signed: bundle('example.com:signer:one', { signerName: 'example.com/signer' }),
    alpha: bundle('example.com:signer:alpha', { signerName: 'example.com/signer' }, 'v1alpha1'),
  },
  cases: {
    'a bundle is taken': create({}),
    'a bundle of many is taken': ofText(`a\n${block(certificates.ca)}b\n${block(certificates.otherCa)}`),
    'a bundle of a signer is taken': { create: 'signed' },
    'a bundle of the alpha version is taken': { create: 'alpha' },
    'a bundle without certificates is refused': ofText('hello'),
    'a bundle without text is refused': create({ spec: {} }),
    'a bundle of other things is refused': ofText(
      [
        block(requests.ecdsa, 'CERTIFICATE REQUEST'),
        block(certificates.ca, undefined, 'A: b\n\n'),
        block('AAAA'),
        block(certificates.ca.slice(0, 80)),
        block(certificates.leaf),
        block(certificates.constrainedLeaf),
        block(certificates.ca),
        block(certificates.ca),
      ].join(''),
    ),
    'duplicates are refused': ofText(block(certificates.ca) + block(certificates.otherCa) + block(certificates.ca)),
    'a bundle that is too long is refused': ofText('a'.repeat(1024 * 1024 + 1)),
    'a name without a signer has no colon': create({ 'metadata.name': 'a:b' }),
    'a name is one': create({ 'metadata.name': 'A_b' }),
    'a name starts with its signer': create({ 'spec.signerName': 'example.com/signer' }),
    'a bad signer is refused': create({ 'metadata.name': 'A_b:c', 'spec.signerName': 'A_b' }),
    'a name after its signer is one': create({ 'metadata.name': 'a.b:c:D_e', 'spec.signerName': 'a.b/c' }),
    'a bundle can change': update('signed', { 'spec.trustBundle': block(certificates.otherCa) }),
    'a bundle cannot become bad': update('signed', { 'spec.trustBundle': '', 'metadata.labels': { 'a b': '' } }),
    'the signer cannot change': update('signed', { 'spec.signerName': 'example.com/other' }),
    'a bundle of the alpha version can change': update('alpha', { 'spec.trustBundle': block(certificates.otherCa) }),
    'a bundle is shown': { table: 'bundle' },
    'the signer of a bundle is shown': { table: 'signed' },
  },
};
