import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { signingRequestStrategy } from './signing-request.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'certificates.k8s.io',
  version: 'v1',
  strategies: { CertificateSigningRequest: signingRequestStrategy },
};
