import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { setCustomResourceDefinitionDefaults } from './defaults.ts';
import { customResourceDefinitionStrategy } from './strategy.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  defaults: { CustomResourceDefinition: setCustomResourceDefinitionDefaults },
  strategies: { CustomResourceDefinition: customResourceDefinitionStrategy },
};
