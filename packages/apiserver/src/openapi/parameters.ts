import type { Catalogue, Descriptions } from '@coxswain/api';
import type { Schema } from '@coxswain/apimachinery';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
  readonly required?: true;
}

const types: Readonly<Record<string, Parameter['type']>> = {
  string: 'string',
  int32: 'integer',
  int64: 'integer',
  bool: 'boolean',
};

const typeOf = (schema: Schema): Parameter['type'] | undefined =>
  schema.kind === 'list' ? typeOf(schema.items) : types[schema.kind];

export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/**
 * Returns the query parameters of an operation: the scalar fields of its options. When two options have the same field, the first one
 * wins.
 */
export function optionParameters(
  catalogue: Catalogue,
  descriptions: Descriptions,
  options: readonly string[],
  except: readonly string[] = [],
): Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const option of options) {
    for (const { name, schema } of catalogue.type(option).fields.values()) {
      const type = typeOf(schema);
      if (!type || parameters.has(name) || ['kind', 'apiVersion', ...except].includes(name)) continue;
      const description = Object.hasOwn(descriptions, option) ? (descriptions[option]![name] ?? '') : '';
      parameters.set(name, { name, in: 'query', type, description });
    }
  }
  return [...parameters.values()].sort(byName);
}

export const prettyParameter: Parameter = {
  name: 'pretty',
  in: 'query',
  type: 'string',
  description:
    "If 'true', then the output is pretty printed. Defaults to 'false' unless the user-agent indicates a browser or command-line HTTP tool (curl and wget).",
};

export const namespaceParameter: Parameter = {
  name: 'namespace',
  in: 'path',
  type: 'string',
  description: 'object name and auth scope, such as for teams and projects',
  required: true,
};

export const nameParameter = (kind: string): Parameter => ({
  name: 'name',
  in: 'path',
  type: 'string',
  description: `name of the ${kind}`,
  required: true,
});

export const pathParameter: Parameter = {
  name: 'path',
  in: 'path',
  type: 'string',
  description: 'path to the resource',
  required: true,
};
