import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { defaults } from './defaults.ts';
import { deviceClassStrategy } from './device-class.ts';
import { resourceClaimStrategy, resourceClaimTemplateStrategy } from './resource-claim.ts';
import { resourceSliceFieldLabels, resourceSliceStrategy } from './resource-slice.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'resource.k8s.io',
  version: 'v1',
  defaults,
  fieldLabels: { ResourceSlice: resourceSliceFieldLabels('v1') },
  strategies: {
    DeviceClass: deviceClassStrategy,
    ResourceClaim: resourceClaimStrategy,
    ResourceClaimTemplate: resourceClaimTemplateStrategy,
    ResourceSlice: resourceSliceStrategy,
  },
};
