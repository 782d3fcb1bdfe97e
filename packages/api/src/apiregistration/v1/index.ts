import type { APIService } from '../../generated/apiregistration/v1.ts';
import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { apiServiceStrategy } from './strategy.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  defaults: {
    APIService: ({ spec }: APIService): void => {
      if (spec?.service) spec.service.port ??= 443;
    },
  },
  strategies: { APIService: apiServiceStrategy },
};
