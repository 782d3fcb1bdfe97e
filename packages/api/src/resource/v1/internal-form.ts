import { isJsonObject, type Schema, type StructSchema } from '@coxswain/apimachinery';
import { Catalogue } from '../../catalogue/catalogue.ts';

/** Fields whose Go name is not the JSON name with a capital first letter. */
const goNames: ReadonlyMap<string, string> = new Map([
  ['cel', 'CEL'],
  ['int', 'IntValue'],
  ['bool', 'BoolValue'],
  ['string', 'StringValue'],
  ['version', 'VersionValue'],
  ['ints', 'IntValues'],
  ['bools', 'BoolValues'],
  ['strings', 'StringValues'],
  ['versions', 'VersionValues'],
]);

const goName = (name: string): string => goNames.get(name) ?? name.charAt(0).toUpperCase() + name.slice(1);

/**
 * Returns a value as upstream's messages print it: its internal type, with Go's names in Go's order and all fields.
 * `type` is the full name of the versioned type, such as `resource.v1.ResourceClaimSpec`.
 */
export function internalForm(type: string, value: object): unknown {
  return structForm(Catalogue.builtIn().type(type), value);
}

function structForm(schema: StructSchema, value: unknown): unknown {
  const source = isJsonObject(value) ? value : {};
  // The types of meta.v1 have no internal type, so they are printed with JSON names.
  const isShared = schema.fullName.startsWith('meta.v1.');
  const entries: [string, unknown][] = [];
  for (const [name, field] of schema.fields) {
    const given = Object.hasOwn(source, name) ? source[name] : undefined;
    if (isShared && given === undefined) continue;
    const isAbsent = given === undefined || given === null;
    const form = isAbsent && field.pointer ? null : valueForm(field.schema, given ?? undefined);
    entries.push([isShared ? name : goName(name), form]);
  }
  return Object.fromEntries(entries);
}

function valueForm(schema: Schema, value: unknown): unknown {
  switch (schema.kind) {
    case 'struct':
      return structForm(schema, value);
    case 'list':
      return Array.isArray(value) ? value.map((item) => valueForm(schema.items, item)) : null;
    case 'map':
      return isJsonObject(value) ? mapForm(value, schema.values) : null;
    case 'string':
      return value ?? '';
    case 'int32':
    case 'int64':
      return value ?? 0;
    case 'bool':
      return value ?? false;
    case 'quantity':
      return value ?? '0';
    default:
      return value ?? null;
  }
}

function mapForm(map: Readonly<Record<string, unknown>>, values: Schema): unknown {
  const sorted = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, value]) => [key, valueForm(values, value)]));
}
