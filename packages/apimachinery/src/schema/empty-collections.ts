import { isJsonObject, setOwnEntry } from '../json/own-entry.ts';
import type { Schema, StructSchema } from './schema.ts';
import { isAlwaysWritten } from './zero-value.ts';

type Fix = (value: unknown) => unknown;

/**
 * Compiles a function that replaces empty lists and maps by null where the type always writes them. Storing an object as protobuf, which
 * has no empty lists and maps, has the same effect. The function returns the same object when there are none, and never modifies its
 * argument. Returns undefined for a type without such fields. Does not search types inside themselves.
 */
export function compileEmptyCollections(schema: StructSchema): ((object: object) => object) | undefined {
  return fixOf(schema, new Set()) as ((object: object) => object) | undefined;
}

function fixOf(schema: Schema, above: Set<Schema>): Fix | undefined {
  switch (schema.kind) {
    case 'struct': {
      if (above.has(schema)) return undefined;
      above.add(schema);
      const fix = fixOfStruct(schema, above);
      above.delete(schema);
      return fix;
    }
    case 'list': {
      const items = fixOf(schema.items, above);
      return items && ((value) => (Array.isArray(value) ? fixedList(value, items) : value));
    }
    case 'map': {
      const values = fixOf(schema.values, above);
      return (
        values && ((value) => (isJsonObject(value) ? fixedObject(value, Object.keys(value), () => values) : value))
      );
    }
    default:
      return undefined;
  }
}

function fixOfStruct(schema: StructSchema, above: Set<Schema>): Fix | undefined {
  const fixes = new Map<string, Fix>();
  for (const [name, field] of schema.fields) {
    const { kind } = field.schema;
    const below = fixOf(field.schema, above);
    if ((kind === 'list' || kind === 'map') && !field.pointer && isAlwaysWritten(field)) {
      fixes.set(name, (value) => (isEmpty(value) ? null : (below?.(value) ?? value)));
    } else if (below) fixes.set(name, below);
  }
  if (fixes.size === 0) return undefined;
  const names = [...fixes.keys()];
  return (value) => (isJsonObject(value) ? fixedObject(value, names, (name) => fixes.get(name)!) : value);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== 'object' || value === null) return false;
  for (const _ in value) return false;
  return true;
}

function fixedList(list: readonly unknown[], fix: Fix): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const after = fix(list[i]);
    if (after === list[i]) continue;
    copy ??= [...list];
    copy[i] = after;
  }
  return copy ?? list;
}

function fixedObject(
  object: Record<string, unknown>,
  names: readonly string[],
  fixFor: (name: string) => Fix,
): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of names) {
    const before = Object.hasOwn(object, name) ? object[name] : undefined;
    if (before === undefined) continue;
    const after = fixFor(name)(before);
    if (after === before) continue;
    copy ??= { ...object };
    setOwnEntry(copy, name, after);
  }
  return copy ?? object;
}
