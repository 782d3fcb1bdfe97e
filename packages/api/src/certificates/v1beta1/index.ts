import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { clusterTrustBundleStrategy } from './cluster-trust-bundle.ts';
import { podCertificateRequestStrategy, setPodCertificateRequestDefaults } from './pod-certificate-request.ts';
import { setSigningRequestDefaults } from './signing-request-defaults.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'certificates.k8s.io',
  version: 'v1beta1',
  defaults: {
    CertificateSigningRequest: setSigningRequestDefaults,
    PodCertificateRequest: setPodCertificateRequestDefaults,
  },
  strategies: {
    ClusterTrustBundle: clusterTrustBundleStrategy,
    PodCertificateRequest: podCertificateRequestStrategy,
  },
};
