import type { Field, ListSchema, MapSchema, ScalarKind, Schema, StructSchema } from '../schema/schema.ts';

/** A schema, the name of a scalar kind, or a field with options. */
type FieldSpec = Schema | ScalarKind | (Partial<Omit<Field, 'schema'>> & { readonly of: Schema | ScalarKind });

const schemaOf = (spec: Schema | ScalarKind): Schema => (typeof spec === 'string' ? { kind: spec } : spec);

/** Returns a struct whose fields, unless specified otherwise, are pointers with omitempty, as those of a custom resource. */
export function struct(
  fields: Readonly<Record<string, FieldSpec>>,
  options: Partial<Pick<StructSchema, 'atomic' | 'preserveUnknownFields'>> = {},
): StructSchema {
  const declared = Object.entries(fields).map(([name, spec]): Field => {
    const { of, ...more } = typeof spec === 'object' && 'of' in spec ? spec : { of: spec };
    return {
      name,
      schema: schemaOf(of),
      number: 0,
      pointer: true,
      omitEmpty: true,
      omitZero: false,
      inline: false,
      required: false,
      patchStrategy: [],
      ...more,
    };
  });
  const byName = new Map(declared.map((field) => [field.name, field]));
  return { kind: 'struct', name: '', fullName: '', declared, fields: byName, atomic: false, ...options };
}

const list = (items: Schema | ScalarKind, listType: ListSchema['listType'], mapKeys: string[]): ListSchema => ({
  kind: 'list',
  items: schemaOf(items),
  listType,
  mapKeys,
});

export const atomicList = (items: Schema | ScalarKind): ListSchema => list(items, 'atomic', []);
export const set = (items: Schema | ScalarKind): ListSchema => list(items, 'set', []);
export const listByKeys = (keys: string[], items: Schema | ScalarKind): ListSchema => list(items, 'map', keys);
export const mapOf = (values: Schema | ScalarKind, atomic = false): MapSchema => ({
  kind: 'map',
  values: schemaOf(values),
  atomic,
});
