import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { setCustomResourceDefinitionDefaults } from './defaults.ts';
import { customResourceDefinitionStrategy } from './strategy.ts';

export { isProtectedGroup } from './approval.ts';
export { validateCABundle } from './ca-bundle.ts';
export { validateEmbeddedResources } from './embedded-resource.ts';
export { GoRegexp, GoRegexpError } from './go-regexp/index.ts';
export { prune } from './prune.ts';
export { compileSchemaValidator, type SchemaValidator } from './schema-validator.ts';
export { isStructural } from './structural.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  defaults: { CustomResourceDefinition: setCustomResourceDefinitionDefaults },
  strategies: { CustomResourceDefinition: customResourceDefinitionStrategy },
};
