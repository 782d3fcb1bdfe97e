import type { ResourcePoolStatusRequest } from '../../generated/resource/v1alpha3.ts';
import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { setDeviceTaintRuleDefaults } from '../v1beta2/device-taint-rule.ts';
import { resourcePoolStatusRequestStrategy } from './resource-pool-status-request.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'resource.k8s.io',
  version: 'v1alpha3',
  defaults: {
    DeviceTaintRule: setDeviceTaintRuleDefaults,
    ResourcePoolStatusRequest: ({ spec }: ResourcePoolStatusRequest): void => {
      spec.limit ??= 100;
    },
  },
  strategies: { ResourcePoolStatusRequest: resourcePoolStatusRequestStrategy },
};
