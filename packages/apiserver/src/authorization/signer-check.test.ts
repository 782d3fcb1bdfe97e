import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import type { ClusterTrustBundle } from '@coxswain/api/certificates/v1beta1';
import type { Authorizer } from '@coxswain/component-base/authorization';
import { describe, expect, it } from 'vitest';
import { checkCertificateApproval, checkCertificateSigning, checkTrustBundleAttestation } from './signer-check.ts';

/** Allows the given `VERB SIGNER`, and checks the other attributes. */
const allowing = (...allowed: string[]): Authorizer => ({
  async authorize({ verb, name, ...rest }) {
    expect(rest).toMatchObject({
      apiGroup: 'certificates.k8s.io',
      apiVersion: '*',
      resource: 'signers',
      namespace: '',
    });
    return { decision: allowed.includes(`${verb} ${name}`) ? 'allow' : 'no opinion', reason: '' };
  },
  rulesFor: async () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
});
const user = { username: 'alice' };
const csr: CertificateSigningRequest = {
  metadata: { name: 'az-csr' },
  spec: { request: '', signerName: 'acme.io/x/y', usages: [] },
  status: { certificate: 'a' },
};

describe('checkCertificateApproval', () => {
  it('allows with permission for the signer or its domain', async () => {
    expect(await checkCertificateApproval(user, csr, allowing('approve acme.io/x/y'))).toBeUndefined();
    expect(await checkCertificateApproval(user, csr, allowing('approve acme.io/*'))).toBeUndefined();
  });

  it('returns the error of upstream', async () => {
    const refused = await checkCertificateApproval(user, csr, allowing('sign acme.io/*', 'approve acme.io/x/*'));
    expect(refused?.status).toMatchObject({
      code: 403,
      message:
        'certificatesigningrequests.certificates.k8s.io "az-csr" is forbidden: user not permitted to approve requests with signerName "acme.io/x/y"',
      details: { name: 'az-csr', group: 'certificates.k8s.io', kind: 'certificatesigningrequests' },
    });
  });
});

describe('checkCertificateSigning', () => {
  const signed = { ...csr, status: { certificate: 'b' } };

  it('checks only updates of the certificate or the conditions', async () => {
    expect(await checkCertificateSigning(user, { ...csr }, csr, allowing())).toBeUndefined();
    expect(await checkCertificateSigning(user, signed, csr, allowing('sign acme.io/*'))).toBeUndefined();
    const failed = { ...csr, status: { ...csr.status, conditions: [{ type: 'Failed', status: 'True' }] } };
    for (const changed of [signed, failed]) {
      const refused = await checkCertificateSigning(user, changed, csr, allowing());
      expect(refused?.message).toBe(
        'certificatesigningrequests.certificates.k8s.io "az-csr" is forbidden: user not permitted to sign requests with signerName "acme.io/x/y"',
      );
    }
  });
});

describe('checkTrustBundleAttestation', () => {
  const bundle: ClusterTrustBundle = {
    metadata: { name: 'acme.io:x:b' },
    spec: { signerName: 'acme.io/x', trustBundle: '' },
  };

  it('checks bundles that name a signer', async () => {
    const { signerName, ...spec } = bundle.spec;
    expect(await checkTrustBundleAttestation(user, { ...bundle, spec }, undefined, allowing())).toBeUndefined();
    expect(await checkTrustBundleAttestation(user, bundle, undefined, allowing('attest acme.io/x'))).toBeUndefined();
    const refused = await checkTrustBundleAttestation(user, bundle, undefined, allowing());
    expect(refused?.message).toBe(
      'clustertrustbundles.certificates.k8s.io "acme.io:x:b" is forbidden: user not permitted to attest for signerName "acme.io/x"',
    );
  });

  it('does not check updates of metadata for garbage collection', async () => {
    const released = { ...bundle, metadata: { ...bundle.metadata, finalizers: [] } };
    expect(await checkTrustBundleAttestation(user, released, bundle, allowing())).toBeUndefined();
    const changed = { ...bundle, spec: { ...bundle.spec, trustBundle: 'x' } };
    expect(await checkTrustBundleAttestation(user, changed, bundle, allowing())).toMatchObject({ code: 403 });
  });
});
