import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { defaults } from './defaults.ts';
import { strategies } from './strategies.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  defaults,
  strategies,
};
