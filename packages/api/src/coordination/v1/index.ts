import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { leaseStrategy } from './lease.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'coordination.k8s.io',
  version: 'v1',
  strategies: { Lease: leaseStrategy },
};
