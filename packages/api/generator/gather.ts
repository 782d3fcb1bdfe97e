import type { FieldModel, TypeExpression, TypeModel } from './model.ts';
import type { GoField, OpenApiProperty, Sources } from './sources.ts';

/** Types that are scalars in JSON, not structs. */
const scalars: Readonly<Record<string, string>> = {
  'k8s.io.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': 'intOrString',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Time': 'time',
  'k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime': 'microTime',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Duration': 'duration',
  'k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1': 'fieldsV1',
  'k8s.io.apimachinery.pkg.runtime.RawExtension': 'rawObject',
  'k8s.io.apimachinery.pkg.runtime.Unknown': 'unknownObject',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON': 'any',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray': 'schemaOrArray',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': 'schemaOrBool',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray': 'schemaOrStringArray',
};

const openApiName = (goName: string): string =>
  goName
    .replace(/^k8s\.io\./, 'io.k8s.')
    .replace('apiextensions_apiserver', 'apiextensions-apiserver')
    .replace('kube_aggregator', 'kube-aggregator');

/** Converts `k8s.io.api.core.v1.PodSpec` to `core.v1.PodSpec`. */
export const typeKey = (goName: string): string =>
  goName.replace(/^k8s\.io\.(api|[a-z_]+\.pkg\.apis)\./, '').replace(/_/g, '');

/** Returns all types but the scalar ones, sorted by key. */
export function gatherTypes(sources: Sources): TypeModel[] {
  const keys = listKeys(sources);
  return Object.keys(sources.goTypes)
    .filter(
      (name) =>
        !(name in scalars) && !name.endsWith('.TypeMeta') && /^k8s\.io\./.test(name) && !/\.runtime\./.test(name),
    )
    .map((name) => gatherType(keys, sources, name))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function gatherType(keys: ReadonlySet<string>, sources: Sources, goName: string): TypeModel {
  const key = typeKey(goName);
  const split = key.lastIndexOf('.');
  const schema = sources.openApi.get(openApiName(goName));
  return {
    key,
    pkg: key.slice(0, split),
    name: key.slice(split + 1),
    atomic: schema?.['x-kubernetes-map-type'] === 'atomic',
    fields: sources.goTypes[goName]!.flatMap((field) => gatherField(keys, sources, goName, field)),
  };
}

function gatherField(
  keys: ReadonlySet<string>,
  sources: Sources,
  owner: string,
  [name, goType, flags, goName]: GoField,
): FieldModel[] {
  const base = { number: 0, pointer: false, omitEmpty: true, omitZero: false, inline: false, required: false };
  if (goType.endsWith('.TypeMeta')) {
    // TypeMeta is the first member of every kind. In protobuf it is part of the envelope.
    return ['kind', 'apiVersion'].map((field) => ({
      ...base,
      name: field,
      type: { form: 'scalar', scalar: 'string' },
    }));
  }
  const documented = documentedOwner(sources, owner);
  const schema = sources.openApi.get(documented);
  const property = schema?.properties?.[name] ?? {};
  const enumeration = sources.enums[`${documented.slice('io.k8s.'.length)}.${name}`];
  const pointer = goType.startsWith('*');
  const strategy = property['x-kubernetes-patch-strategy'];
  const mergeKey = property['x-kubernetes-patch-merge-key'];
  const defaultValue = scalarDefault(property, keys.has(`${documented} ${name}`));
  return [
    {
      name,
      ...(goName && { goName }),
      number: protoNumber(sources, owner, name, flags.includes('inline') ? goType : undefined),
      type: parseType(pointer ? goType.slice(1) : goType, property),
      pointer,
      omitEmpty: flags.includes('omitempty'),
      omitZero: flags.includes('omitzero'),
      inline: flags.includes('inline'),
      required: schema?.required?.includes(name) ?? false,
      ...(strategy && { patchStrategy: strategy }),
      ...(mergeKey && { mergeKey }),
      ...(defaultValue !== undefined && { default: defaultValue }),
      ...(enumeration && { enum: enumeration }),
    },
  ];
}

/** Returns the name of the definition that has a type's fields: its own, or else that of a type that inlines it. */
function documentedOwner(sources: Sources, owner: string): string {
  const name = openApiName(owner);
  if (sources.openApi.has(name)) return name;
  const around = Object.entries(sources.goTypes).find(([, fields]) =>
    fields.some(([, goType, flags]) => goType === owner && flags.includes('inline')),
  );
  return around ? documentedOwner(sources, around[0]) : name;
}

/**
 * Returns a scalar default. Zero values are redundant, except for the keys of lists, where they say that items may omit
 * the key.
 */
function scalarDefault(property: OpenApiProperty, isKey: boolean): unknown {
  const value = property.default;
  if (typeof value === 'object') return undefined;
  return isKey || (value !== '' && value !== 0 && value !== false) ? value : undefined;
}

/** Returns `type field` of every field that is a key of a list. */
function listKeys(sources: Sources): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { properties } of sources.openApi.values()) {
    for (const property of Object.values(properties ?? {})) {
      const items = property.items?.allOf?.[0]?.$ref ?? property.items?.$ref;
      for (const key of property['x-kubernetes-list-map-keys'] ?? []) keys.add(`${items?.split('/').at(-1)} ${key}`);
    }
  }
  return keys;
}

/**
 * Returns the protobuf number of a field. Names in messages can differ from JSON (`ref` for `$ref`), and inlined
 * structs are found by their type.
 */
function protoNumber(sources: Sources, owner: string, name: string, inlined: string | undefined): number {
  const message = sources.protoFields[owner] ?? {};
  const bare = (text: string): string => text.replace(/[$-]/g, '').toLowerCase();
  const found = Object.entries(message).find(([field, [, type]]) =>
    inlined ? type === inlined : bare(field) === bare(name),
  );
  return found?.[1][0] ?? 0;
}

function parseType(goType: string, property: OpenApiProperty): TypeExpression {
  if (goType.startsWith('*')) return parseType(goType.slice(1), property);
  const wrapped = /^wrapped\[\](.*)@.*\.(\w+\.\w+)$/.exec(goType);
  if (wrapped || goType.startsWith('[]')) {
    const listType = property['x-kubernetes-list-type'];
    return {
      form: 'list',
      items: parseType(wrapped ? wrapped[1]! : goType.slice(2), property.items ?? {}),
      keys: listType === 'map' ? (property['x-kubernetes-list-map-keys'] ?? []) : [],
      set: listType === 'set',
      ...(wrapped && { wrappedAs: wrapped[2]! }),
    };
  }
  const map = /^(?:\((.*?)\))?map\[string\](.*)$/.exec(goType);
  if (map) {
    const atomic = property['x-kubernetes-map-type'] === 'atomic';
    return { form: 'map', values: parseType(map[2]!, {}), atomic, ...(map[1] && { goName: map[1] }) };
  }
  const scalar = scalars[goType] ?? (goType.startsWith('k8s.io.') ? undefined : goType.replace('float64', 'double'));
  if (scalar) {
    const [kind, goName] = scalar.split(':') as [string, string?];
    return { form: 'scalar', scalar: kind, ...(goName && { goName }) };
  }
  const mapType = property['x-kubernetes-map-type'];
  return {
    form: 'struct',
    key: typeKey(goType),
    ...((mapType === 'atomic' || mapType === 'granular') && { override: mapType }),
  };
}
