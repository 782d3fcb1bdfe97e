import type { CustomResourceDefinition } from '../../generated/apiextensions/v1.ts';

/**
 * Sets the defaults of a definition: names derived from the kind, conversion strategy None, and the storage version as
 * stored version.
 */
export function setCustomResourceDefinitionDefaults(definition: CustomResourceDefinition): void {
  const { spec } = definition;
  const { names } = spec;
  if (!names.singular && names.kind) names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
  if (definition.status?.storedVersions?.length) return;
  const storage = spec.versions?.find((version) => version.storage);
  if (storage) definition.status = { ...definition.status, storedVersions: [storage.name] };
}
