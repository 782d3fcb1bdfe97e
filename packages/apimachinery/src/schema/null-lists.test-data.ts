import type { Schema, StructSchema } from './schema.ts';

/**
 * Returns a copy with null for every list that the object lacks, at every depth. Servers written in Go print some unset lists as null,
 * and may print all of them so.
 */
export const withNullLists = <T>(schema: Schema, value: T): T => nulled(schema, value) as T;

function nulled(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  switch (schema.kind) {
    case 'list':
      return Array.isArray(value) ? value.map((item) => nulled(schema.items, item)) : value;
    case 'map':
      return mapped(value, (_, member) => nulled(schema.values, member));
    case 'struct':
      return structWithNulls(schema, value);
    default:
      return value;
  }
}

function structWithNulls(schema: StructSchema, value: object): object {
  const copy = mapped(value, (name, member) => {
    const field = schema.fields.get(name);
    return field ? nulled(field.schema, member) : member;
  });
  for (const { name, schema: type, inline } of schema.fields.values())
    if (type.kind === 'list' && !inline && copy[name] === undefined) copy[name] = null;
  return copy;
}

const mapped = (value: object, change: (name: string, member: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(name, member)]));
