import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@coxswain/api/apiextensions/v1';
import { compareKubeVersions } from '@coxswain/apimachinery/meta';
import { lowerFirstWord } from '../kubernetes/property-name.ts';
import { docComment } from './doc-comment.ts';
import { fieldText } from './field.ts';
import { stringLiteral, typeName } from './identifier.ts';
import { openFields, SchemaTypes } from './schema-types.ts';

const imported = ['KubernetesList', 'ObjectMeta', 'ResourceDescription'];

/**
 * Generates a TypeScript module for a CustomResourceDefinition: for each served version the object's interface with its
 * nested types, its list type, and the description that `customResource` takes. The version that the server prefers has
 * the plain names (`CronTab`, `cronTabResource`); the names of the others end in the version (`CronTabV1beta1`).
 *
 * Throws when no version is served. Constraints beyond types (patterns, limits, CEL rules) are left to the server.
 */
export function generateTypes(definition: CustomResourceDefinition): string {
  const { group, names, versions } = definition.spec;
  const served = versions.filter((version) => version.served).sort((a, b) => compareKubeVersions(b.name, a.name));
  if (served.length === 0) throw new Error(`${names.plural}.${group} serves no version`);
  const types = new SchemaTypes(imported);
  const parts = served.map((version, index) => versionText(definition, version, index === 0, types));
  return `// Generated from the CustomResourceDefinition ${names.plural}.${group}. Do not edit.
import type { ${imported.join(', ')} } from '@coxswain/client/custom-resources';

${parts.join('\n')}`;
}

function versionText(
  { spec: { group, names, scope } }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  isPreferred: boolean,
  types: SchemaTypes,
): string {
  const suffix = isPreferred ? '' : typeName(version.name);
  const kind = types.claim(typeName(names.kind) + suffix);
  const listKind = types.claim(typeName(names.listKind || `${names.kind}List`) + suffix);
  const constant = `${lowerFirstWord(kind)}Resource`;
  const schema = version.schema?.openAPIV3Schema ?? { 'x-kubernetes-preserve-unknown-fields': true };
  const before = types.declarations.length;
  const fields = types
    .fields(schema, kind)
    .filter(({ name }) => !['apiVersion', 'kind', 'metadata'].includes(name))
    // Optional, because objects are created without a status.
    .map((field) => (field.name === 'status' ? { ...field, required: false } : field));
  const comment = docComment([
    ...(schema.description?.trim() ? [schema.description.trim()] : []),
    ...(version.deprecated ? [`@deprecated ${version.deprecationWarning ?? ''}`] : []),
  ]);
  return `${comment}export interface ${kind} {
  apiVersion?: ${stringLiteral(`${group}/${version.name}`)};
  kind?: ${stringLiteral(names.kind)};
  metadata: ObjectMeta;
${fields.map((field) => fieldText(field)).join('')}${schema['x-kubernetes-preserve-unknown-fields'] ? openFields : ''}}

export type ${listKind} = KubernetesList<${kind}>;

/** For \`customResource<${kind}>(rest, ${constant})\`. */
export const ${constant} = {
  group: ${stringLiteral(group)},
  version: ${stringLiteral(version.name)},
  resource: ${stringLiteral(names.plural)},
  kind: ${stringLiteral(names.kind)},
  namespaced: ${scope === 'Namespaced'},
} as const satisfies ResourceDescription;
${types.declarations
  .slice(before)
  .map((declaration) => `\n${declaration}`)
  .join('')}`;
}
