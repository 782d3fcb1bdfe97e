import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { defaults } from './defaults.ts';
import { deviceClassStrategy } from './device-class.ts';
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from './resource-claim.ts';
import { resourceSliceStrategy } from './resource-slice.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'resource.k8s.io',
  version: 'v1',
  defaults,
  strategies: {
    DeviceClass: deviceClassStrategy,
    ResourceClaim: resourceClaimStrategy,
    ResourceClaimTemplate: resourceClaimTemplateStrategy,
    ResourceSlice: resourceSliceStrategy,
  },
};
