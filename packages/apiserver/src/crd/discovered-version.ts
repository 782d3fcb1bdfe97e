import type { Resource } from '@coxswain/api';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@coxswain/api/apiextensions/v1';
import { compareKubeVersions } from '@coxswain/apimachinery';
import { isConditionTrue } from './conditions.ts';

const allVerbs = 'delete deletecollection get list patch create update watch';
/** The verbs of a resource whose definition is being deleted. */
const lastVerbs = 'delete deletecollection get list watch';
const partVerbs = 'get patch update';

/** The entry of a version in discovery. */
export function discoveredVersion(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): Resource {
  const { spec, status } = definition;
  const names = { ...spec.names, ...status?.acceptedNames };
  const { status: hasStatus, scale } = version.subresources ?? {};
  const parts = [
    ...(hasStatus ? [{ name: 'status', kind: names.kind, verbs: partVerbs }] : []),
    ...(scale ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: partVerbs }] : []),
  ];
  const storage = spec.versions.find(({ storage: isStored, served }) => isStored && served);
  return {
    name: names.plural,
    singularName: names.singular ?? '',
    kind: names.kind,
    namespaced: spec.scope === 'Namespaced',
    verbs: isConditionTrue(definition, 'Terminating') ? lastVerbs : allVerbs,
    ...(names.shortNames?.length && { shortNames: names.shortNames }),
    ...(names.categories?.length && { categories: names.categories }),
    ...(storage && { storageVersion: `${spec.group}/${storage.name}` }),
    ...(parts.length > 0 && { subresources: parts }),
  };
}

/** The deprecation warning of a version; undefined when it is not deprecated. */
export function deprecationOf(
  { spec }: CustomResourceDefinition,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
): string | undefined {
  if (!deprecated) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const { group, names, versions } = spec;
  const [better] = versions
    .filter((other) => other.served && !other.deprecated && compareKubeVersions(name, other.name) < 0)
    .sort((a, b) => compareKubeVersions(b.name, a.name));
  const message = `${group}/${name} ${names.kind} is deprecated`;
  return better ? `${message}; use ${group}/${better.name} ${names.kind}` : message;
}
