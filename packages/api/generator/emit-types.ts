import type { FieldModel, TypeExpression, TypeModel } from './model.ts';

export interface TypesFile {
  /** Returns any type, of this package or another. */
  readonly typeOf: (key: string) => TypeModel | undefined;
  /** Returns the alias and path for importing the types of another package, by its key (`meta.v1`). */
  readonly importFor: (pkg: string) => { readonly alias: string; readonly path: string };
  /** Type key → its apiVersion and kind, for the kinds of this package. */
  readonly kinds: ReadonlyMap<string, { readonly apiVersion: string; readonly kind: string }>;
}

const tsScalars: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  quantity: 'string',
  intOrString: 'meta.IntOrString',
  time: 'meta.Time',
  microTime: 'meta.MicroTime',
  duration: 'meta.Duration',
  fieldsV1: 'meta.FieldsV1',
  rawObject: '{ [key: string]: unknown }',
  unknownObject: '{ [key: string]: unknown }',
  any: 'unknown',
  schemaOrArray: 'JSONSchemaProps | JSONSchemaProps[]',
  schemaOrBool: 'JSONSchemaProps | boolean',
  schemaOrStringArray: 'JSONSchemaProps | string[]',
};

/** Returns the TypeScript interfaces of one package. */
export function emitTypes(pkg: string, types: readonly TypeModel[], file: TypesFile): string {
  const imports = new Map<string, string>();
  const reference = (key: string): string => {
    const split = key.lastIndexOf('.');
    const from = key.slice(0, split);
    if (from === pkg) return key.slice(split + 1);
    const { alias, path } = file.importFor(from);
    imports.set(alias, path);
    const name = key.slice(split + 1);
    // There, the plain names are those of the value classes.
    return `${alias}.${/^Group(Version)?(Kind|Resource)$|^GroupVersion$/.test(name) && from === 'meta.v1' ? `Meta${name}` : name}`;
  };
  const print = (type: TypeExpression, literals?: readonly string[]): string => {
    switch (type.form) {
      case 'scalar': {
        if (literals) return literals.map((literal) => JSON.stringify(literal)).join(' | ');
        const text = tsScalars[type.scalar]!;
        if (text.startsWith('meta.')) return reference(`meta.v1.${text.slice(5)}`);
        return text;
      }
      case 'struct':
        return reference(type.key);
      case 'list': {
        const items = print(type.items, literals);
        return items.includes('|') ? `(${items})[]` : `${items}[]`;
      }
      case 'map':
        return `{ [key: string]: ${print(type.values, literals)} }`;
    }
  };
  const flatten = (fields: readonly FieldModel[]): FieldModel[] =>
    fields.flatMap((field) => {
      const inlined = field.inline && field.type.form === 'struct' ? file.typeOf(field.type.key) : undefined;
      return inlined ? flatten(inlined.fields) : [field];
    });

  const interfaces = types.map((type) => {
    const kind = file.kinds.get(type.key);
    const lines = flatten(type.fields).map((field) => {
      if (kind && field.name === 'kind') return `  kind?: ${JSON.stringify(kind.kind)};`;
      if (kind && field.name === 'apiVersion') return `  apiVersion?: ${JSON.stringify(kind.apiVersion)};`;
      const always = field.required || (kind && field.name === 'metadata');
      return `  ${field.name.startsWith('$') || field.name.includes('-') ? JSON.stringify(field.name) : field.name}${always ? '' : '?'}: ${print(field.type, field.enum)}${isPrintedAsNull(type, field) ? ' | null' : ''};`;
    });
    return `export interface ${type.name} {\n${lines.join('\n')}\n}`;
  });
  const header = [...imports].sort().map(([alias, path]) => `import type * as ${alias} from '${path}';`);
  return [...header, ...(header.length > 0 ? [''] : []), interfaces.join('\n\n'), ''].join('\n');
}

/** Fields that are required, but valid when empty according to upstream's validation. */
const mayBeEmpty: ReadonlySet<string> = new Set([
  'batch.v1.PodFailurePolicy.rules',
  'core.v1.LimitRangeSpec.limits',
  'core.v1.NodeAllocatableResourceClaimStatus.resources',
  'core.v1.PodExtendedResourceClaimStatus.requestMappings',
  'storage.v1.CSINodeSpec.drivers',
  'storage.v1beta1.CSINodeSpec.drivers',
]);

/**
 * Reports whether API servers respond with `null` for the unset field: Go prints an unset list, map or pointer without
 * `omitempty` as null. False for the items of lists, which the client turns into an array, and for required fields that
 * are never valid when empty.
 */
function isPrintedAsNull({ key, name: typeName }: TypeModel, field: FieldModel): boolean {
  const { name, type, pointer, omitEmpty, omitZero, required } = field;
  if (omitEmpty || omitZero) return false;
  if (!pointer && type.form !== 'list' && type.form !== 'map') return false;
  if (name === 'items' && typeName.endsWith('List')) return false;
  return !required || mayBeEmpty.has(`${key}.${name}`);
}
