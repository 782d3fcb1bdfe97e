import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { leaseCandidateStrategy } from './lease-candidate.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'coordination.k8s.io',
  version: 'v1beta1',
  strategies: { LeaseCandidate: leaseCandidateStrategy },
};
