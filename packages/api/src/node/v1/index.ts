import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { runtimeClassStrategy } from './runtime-class.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'node.k8s.io',
  version: 'v1',
  strategies: { RuntimeClass: runtimeClassStrategy },
};
