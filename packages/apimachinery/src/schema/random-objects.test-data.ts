import { compileNormalizer, type Normalizer } from './normalizer.ts';
import type { Field, ScalarSchema, Schema, StructSchema } from './schema.ts';

/** The JSON names from an object to a field of it, through the items of lists and the values of maps. */
export type FieldPath = readonly string[];

/** Returns the paths of all optional lists and maps in an object of a type, at any depth. A recursive type is entered once. */
export function collectionsOf(schema: Schema, above: readonly Schema[] = []): FieldPath[] {
  if (schema.kind === 'list') return collectionsOf(schema.items, above);
  if (schema.kind === 'map') return collectionsOf(schema.values, above);
  if (schema.kind !== 'struct' || above.includes(schema)) return [];
  return fieldsOf(schema).flatMap((field) => [
    ...(isOptionalCollection(field) ? [[field.name]] : []),
    ...collectionsOf(field.schema, [...above, schema]).map((path) => [field.name, ...path]),
  ]);
}

/** A pod without containers is never valid, so no server can have one. */
const isOptionalCollection = ({ name, schema: { kind } }: Field): boolean =>
  (kind === 'list' || kind === 'map') && name !== 'containers';

const fieldsOf = ({ fields }: StructSchema): Field[] => [...fields.values()].filter(({ inline }) => !inline);

/** Returns a copy with null at the path, in all items of lists and values of maps. */
export function withNullAt(value: unknown, [name = '', ...rest]: FieldPath): unknown {
  if (Array.isArray(value)) return value.map((item) => withNullAt(item, [name, ...rest]));
  if (typeof value !== 'object' || value === null) return value;
  // A path does not contain the keys of a map.
  if (!Object.hasOwn(value, name)) return mapped(value, (member) => withNullAt(member, [name, ...rest]));
  return { ...value, [name]: rest.length === 0 ? null : withNullAt(Reflect.get(value, name), rest) };
}

/** Returns a copy with null for all optional lists and maps that are nested in `depth` others. */
export function withNullBelow(schema: Schema, value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (schema.kind === 'list' && Array.isArray(value))
    return value.map((item) => withNullBelow(schema.items, item, depth));
  if (schema.kind === 'map') return mapped(value, (member) => withNullBelow(schema.values, member, depth));
  if (schema.kind !== 'struct') return value;
  const copy: Record<string, unknown> = { ...value };
  for (const field of fieldsOf(schema)) {
    const { name, schema: type } = field;
    if (isOptionalCollection(field))
      copy[name] = depth === 0 ? null : withNullBelow(type, copy[name] ?? null, depth - 1);
    else if (copy[name] !== undefined) copy[name] = withNullBelow(type, copy[name], depth);
  }
  return copy;
}

const mapped = (value: object, change: (member: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)]));

/** Returns a number in [0, 1). The sequence is the same each time. */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  // The generator of Park and Miller.
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Draws objects of a type in canonical form, with values that components distinguish rather than with arbitrary ones. */
export class RandomObjects {
  readonly #schema: StructSchema;
  readonly #normalize: Normalizer;

  constructor(schema: StructSchema) {
    this.#schema = schema;
    this.#normalize = compileNormalizer(schema);
  }

  /** Draws an object that has the field at the path, and a random choice of all other fields. */
  draw(path: FieldPath, random: Random): Record<string, unknown> {
    return this.#normalize(drawStruct(this.#schema, path, { random, above: [] })).object;
  }
}

interface Drawing {
  readonly random: Random;
  readonly above: readonly StructSchema[];
}

function drawStruct(schema: StructSchema, [next, ...rest]: FieldPath, { random, above }: Drawing): object {
  const object: Record<string, unknown> = {};
  if (above.includes(schema)) return object;
  const drawing = { random, above: [...above, schema] };
  // In a union, such as a volume, few members are set beside the one on the path.
  const chance = Math.min(0.7, 6 / schema.fields.size);
  for (const { name, schema: type, required } of fieldsOf(schema)) {
    if (name !== next && !required && name !== 'spec' && random() > chance) continue;
    object[name] = drawField(name, type, name === next ? rest : [], drawing);
  }
  if (schema.fields.has('metadata') && above.length > 0) {
    // Only top-level objects have apiVersion and kind.
    delete object.apiVersion;
    delete object.kind;
  }
  return 'operator' in object && schema.fields.has('values') ? asRequirement(object, next) : object;
}

/** Returns a valid requirement of a selector, even when its values are null because the path leads to them. */
function asRequirement(object: Record<string, unknown>, next: string | undefined): object {
  if (object.values === undefined || next === 'values') return { ...object, operator: 'Exists' };
  return { ...object, operator: 'In' };
}

function drawField(name: string, schema: Schema, path: FieldPath, drawing: Drawing): unknown {
  switch (schema.kind) {
    case 'struct':
      return drawStruct(schema, path, drawing);
    case 'list':
      return [drawField(name, schema.items, path, drawing)];
    case 'map':
      return { [drawing.random() < 0.5 ? 'app' : 'cpu']: drawField(name, schema.values, path, drawing) };
    case 'schemaOr':
      return drawStruct(schema.schema, path, drawing);
    default:
      return drawScalar(name, schema, drawing.random);
  }
}

/** Enough letters that few selectors match objects by chance. */
const letters = [...'abcdefghijklmnopqrstuvwxyz'];

const strings: Readonly<Record<string, readonly string[]>> = {
  operator: ['Exists', 'Equal'],
  nodeName: ['hollow-0', 'hollow-1', ''],
  effect: ['NoSchedule', 'NoExecute'],
  status: ['True', 'False'],
  path: ['/a'],
  key: ['a', 'kubernetes.io/hostname'],
  topologyKey: ['kubernetes.io/hostname', 'a'],
  apiVersion: ['apps/v1'],
  kind: ['Deployment', 'ReplicaSet'],
  namespace: ['strange'],
  ip: ['10.9.0.1'],
  podCIDR: ['10.244.9.0/24'],
  podCIDRs: ['10.244.9.0/24'],
};

function drawScalar(name: string, { kind, enum: values }: ScalarSchema, random: Random): unknown {
  switch (kind) {
    case 'string':
      // Every object has a unique uid.
      if (name === 'uid') return `uid-${Math.floor(random() * 1e9)}`;
      return pick(values ?? strings[name] ?? letters, random);
    case 'bytes':
      return 'YQ==';
    case 'bool':
      return random() < 0.5;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return pick([0, 1, 2], random);
    case 'quantity':
      return pick(['1', '100m', '1Gi'], random);
    case 'time':
      return pick(['2030-01-01T00:00:00Z', '2029-12-31T00:00:00Z'], random);
    case 'microTime':
      return '2030-01-01T00:00:00.000000Z';
    case 'duration':
      return '1s';
    default:
      return {};
  }
}

const pick = <T>(from: readonly T[], random: Random): T | undefined => from[Math.floor(random() * from.length)];
