import { Catalogue } from '@coxswain/api';
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import type { GroupVersionKind } from '@coxswain/apimachinery';
import { type CelType, objectType } from '@coxswain/cel';
import { celTypeOf, SchemaTypes } from '../../cel-types/schema-type.ts';
import { builtInType } from './schema-type.ts';

/**
 * Returns the CEL type for objects of a kind; undefined when it is unknown. The type names end in a number as
 * upstream's, where it is a timestamp.
 */
export function servedType(
  kind: GroupVersionKind,
  definitions: readonly CustomResourceDefinition[],
): CelType | undefined {
  const name = `${kind.kind}0`;
  const builtIn = Catalogue.builtIn().kind(kind)?.schema;
  if (builtIn) return builtInType(builtIn, name);
  const version = definitions
    .find(({ spec }) => spec.group === kind.group && spec.names.kind === kind.kind)
    ?.spec.versions.find((one) => one.name === kind.version);
  const schema = version?.schema?.openAPIV3Schema;
  const type = schema && new SchemaTypes().of(schema, true);
  if (!type) return undefined;
  const own = celTypeOf(type, name);
  const metadata = builtInType(Catalogue.builtIn().type('meta.v1.ObjectMeta'), `${name}.metadata`);
  return objectType(name, { field: (field) => (field === 'metadata' ? metadata : own.fields?.field(field)) });
}
