import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { setEndpointSliceDefaults } from './endpoint-slice.ts';
import { endpointSliceStrategy } from './strategy.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'discovery.k8s.io',
  version: 'v1',
  defaults: { EndpointSlice: setEndpointSliceDefaults },
  strategies: { EndpointSlice: endpointSliceStrategy },
};
