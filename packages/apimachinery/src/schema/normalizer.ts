import { jsonEquals } from '../json/equals.ts';
import { setOwnEntry } from '../json/own-entry.ts';
import { scalarForms, withoutLiterals } from './canonical-scalar.ts';
import { DecodeError } from './decode-error.ts';
import { explainMismatch } from './explain-mismatch.ts';
import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, SchemaOrSchema, StructSchema } from './schema.ts';

type JsonObject = Record<string, unknown>;

export interface NormalizeOptions {
  /** The value comes from the exact parser and may hold number literals. */
  readonly literals?: boolean;
}

export interface Normalized {
  readonly object: JsonObject;
  /** Whether fields were left out because the schema does not know them. */
  readonly hasUnknownFields: boolean;
}

/**
 * Gives the object that Go's decoder and encoder would make of a parsed JSON value, for one type: unknown fields are
 * gone, zero values are left out or written out as the type's tags say, quantities and times are canonical. Returns the
 * very same objects and lists where nothing had to change; never changes its argument.
 *
 * Throws DecodeError with upstream's message when a value does not fit the type. The value must be no deeper than
 * MAX_JSON_DEPTH.
 */
export type Normalizer = (value: unknown, options?: NormalizeOptions) => Normalized;

interface Context {
  readonly literals: boolean;
  hasUnknownFields: boolean;
}

/** One type, compiled. */
interface Node {
  /** `value` is never null: that is the same as leaving it out. Throws anything when it does not fit. */
  normalize(value: unknown, context: Context): unknown;
  /** What stands for the type's zero value in JSON. New each time where it is an object. */
  zero(): unknown;
  /** Whether `omitempty` leaves the value out. */
  isEmpty(value: unknown): boolean;
}

/** Thrown on the way out of a value that does not fit; `explainMismatch` finds the words. */
const mismatch = new Error('mismatch');

class ScalarNode implements Node {
  readonly #canonical: (value: unknown) => unknown;
  readonly #zero: unknown;
  readonly #isStruct: boolean;

  constructor(schema: ScalarSchema) {
    const form = scalarForms[schema.kind];
    this.#canonical = form.canonical;
    this.#zero = form.zero;
    this.#isStruct = form.isStruct;
  }

  normalize(value: unknown, context: Context): unknown {
    const canonical = this.#canonical(value);
    return context.literals ? withoutLiterals(canonical) : canonical;
  }

  zero(): unknown {
    return this.#zero;
  }

  isEmpty(value: unknown): boolean {
    return !this.#isStruct && (value === this.#zero || value === '');
  }
}

class ListNode implements Node {
  readonly #items: Node;

  constructor(schema: ListSchema) {
    this.#items = compile(schema.items);
  }

  normalize(value: unknown, context: Context): unknown {
    if (!Array.isArray(value)) throw mismatch;
    const source: readonly unknown[] = value;
    const items = this.#items;
    let target: unknown[] | undefined;
    for (let i = 0; i < source.length; i++) {
      const before = source[i];
      const after = before === null ? items.zero() : items.normalize(before, context);
      if (target !== undefined) {
        target.push(after);
      } else if (after !== before) {
        target = source.slice(0, i);
        target.push(after);
      }
    }
    return target ?? source;
  }

  zero(): unknown {
    return null;
  }

  isEmpty(value: unknown): boolean {
    return Array.isArray(value) && value.length === 0;
  }
}

class MapNode implements Node {
  readonly #values: Node;

  constructor(schema: MapSchema) {
    this.#values = compile(schema.values);
  }

  normalize(value: unknown, context: Context): unknown {
    const source = objectOf(value);
    const values = this.#values;
    let target: JsonObject | undefined;
    for (const key in source) {
      const before = source[key];
      const after = before === null ? values.zero() : values.normalize(before, context);
      if (target === undefined) {
        if (after === before) continue;
        target = entriesBefore(source, key);
      }
      setOwnEntry(target, key, after);
    }
    return target ?? source;
  }

  zero(): unknown {
    return null;
  }

  isEmpty(value: unknown): boolean {
    for (const _ in objectOf(value)) return false;
    return true;
  }
}

class SchemaOrNode implements Node {
  readonly #alternative: SchemaOrSchema['alternative'];
  readonly #schema: Node;
  readonly #list: Node;

  constructor({ alternative, schema }: SchemaOrSchema) {
    this.#alternative = alternative;
    this.#schema = compile(schema);
    const items: Schema = alternative === 'array' ? schema : { kind: 'string' };
    this.#list = new ListNode({ kind: 'list', items, listType: 'atomic', mapKeys: [] });
  }

  normalize(value: unknown, context: Context): unknown {
    if (Array.isArray(value)) {
      if (this.#alternative === 'bool') throw mismatch;
      return value.length === 0 ? null : this.#list.normalize(value, context);
    }
    if (typeof value === 'object') return this.#schema.normalize(value, context);
    if (this.#alternative !== 'bool') return null;
    if (typeof value !== 'boolean') throw mismatch;
    return value;
  }

  zero(): unknown {
    return this.#alternative === 'bool' ? false : null;
  }

  isEmpty(): boolean {
    return false;
  }
}

/** What to do with a field's value; the plain ones are handled in place, without a call. */
const enum Plain {
  no,
  string,
  bool,
  int32,
}

const plainKinds: Readonly<Partial<Record<Schema['kind'], Plain>>> = {
  string: Plain.string,
  bool: Plain.bool,
  int32: Plain.int32,
};

class FieldNode {
  readonly name: string;
  readonly node: Node;
  readonly plain: Plain;
  /** Leave out what `omitempty` calls empty. */
  readonly dropEmpty: boolean;
  readonly dropZero: boolean;
  /** Stands in the JSON even when nobody set it. */
  readonly always: boolean;
  readonly #pointer: boolean;
  readonly nullable: boolean;

  constructor({ name, schema, pointer, omitEmpty, omitZero }: Field) {
    this.name = name;
    this.node = compile(schema);
    this.plain = plainKinds[schema.kind] ?? Plain.no;
    this.dropEmpty = omitEmpty && !pointer;
    this.dropZero = omitZero && !pointer;
    this.nullable = schema.nullable === true;
    this.#pointer = pointer;
    this.always = isAlwaysWritten({ schema, pointer, omitEmpty, omitZero });
  }

  /** The value of a field that was not set, undefined when it is left out. */
  absent(): unknown {
    return this.always ? (this.#pointer ? null : this.node.zero()) : undefined;
  }

  normalize(value: unknown, context: Context): unknown {
    const after = this.node.normalize(value, context);
    if (this.dropEmpty && this.node.isEmpty(after)) return undefined;
    return this.dropZero && jsonEquals(after, this.node.zero()) ? undefined : after;
  }
}

/** Whether a field stands in the JSON although nobody set it. */
export function isAlwaysWritten({
  schema,
  pointer,
  omitEmpty,
  omitZero,
}: Pick<Field, 'schema' | 'pointer' | 'omitEmpty' | 'omitZero'>): boolean {
  if (omitZero) return false;
  if (!omitEmpty) return true;
  if (pointer || schema.kind === 'list' || schema.kind === 'map') return false;
  return schema.kind === 'struct' || schema.kind === 'schemaOr' || scalarForms[schema.kind].isStruct;
}

class StructNode implements Node {
  readonly #schema: StructSchema;
  readonly #keepUnknown: boolean;
  #fields: Map<string, FieldNode> | undefined;
  #always: FieldNode[] = [];

  constructor(schema: StructSchema) {
    this.#schema = schema;
    this.#keepUnknown = schema.preserveUnknownFields === true;
  }

  /** Types refer to themselves, and most are never met: a struct's fields are compiled when it first is. */
  #compileFields(): Map<string, FieldNode> {
    const fields = new Map<string, FieldNode>();
    for (const [name, field] of this.#schema.fields) fields.set(name, new FieldNode(field));
    this.#always = [...fields.values()].filter((field) => field.always);
    this.#fields = fields;
    return fields;
  }

  normalize(value: unknown, context: Context): unknown {
    const source = objectOf(value);
    const fields = this.#fields ?? this.#compileFields();
    let target: JsonObject | undefined;
    let written = 0;
    for (const key in source) {
      const before = source[key];
      const field = fields.get(key);
      let after: unknown;
      if (field === undefined) {
        context.hasUnknownFields = true;
        if (this.#keepUnknown) after = context.literals ? withoutLiterals(before) : before;
      } else if (before === null) {
        after = field.nullable ? null : field.absent();
      } else {
        switch (field.plain) {
          case Plain.string:
            if (typeof before !== 'string') throw mismatch;
            if (before !== '' || !field.dropEmpty) after = before;
            break;
          case Plain.bool:
            if (typeof before !== 'boolean') throw mismatch;
            if (before || !field.dropEmpty) after = before;
            break;
          case Plain.int32:
            if (typeof before !== 'number' || (before | 0) !== before) throw mismatch;
            if (before !== 0 || !field.dropEmpty) after = before;
            break;
          default:
            after = field.normalize(before, context);
        }
        if (field.always) written++;
      }
      if (field?.always && before === null) written++;
      if (target === undefined) {
        if (after === before) continue;
        target = entriesBefore(source, key);
      }
      if (after !== undefined) setOwnEntry(target, key, after);
    }
    if (written !== this.#always.length) {
      target ??= { ...source };
      for (const field of this.#always) if (!Object.hasOwn(target, field.name)) setOwnEntry(target, field.name, field.absent());
    }
    return target ?? source;
  }

  zero(): unknown {
    if (this.#fields === undefined) this.#compileFields();
    const zero: JsonObject = {};
    for (const field of this.#always) setOwnEntry(zero, field.name, field.absent());
    return zero;
  }

  isEmpty(): boolean {
    return false;
  }
}

function objectOf(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mismatch;
  return value as JsonObject;
}

function entriesBefore(source: JsonObject, end: string): JsonObject {
  const target: JsonObject = {};
  for (const key in source) {
    if (key === end) break;
    setOwnEntry(target, key, source[key]);
  }
  return target;
}

const structNodes = new WeakMap<StructSchema, StructNode>();

function compile(schema: Schema): Node {
  switch (schema.kind) {
    case 'struct': {
      let node = structNodes.get(schema);
      if (!node) structNodes.set(schema, (node = new StructNode(schema)));
      return node;
    }
    case 'list':
      return new ListNode(schema);
    case 'map':
      return new MapNode(schema);
    case 'schemaOr':
      return new SchemaOrNode(schema);
    default:
      return new ScalarNode(schema);
  }
}

/** Compiles a type's normaliser. Cheap to call again: a type is compiled once. */
export function compileNormalizer(schema: StructSchema): Normalizer {
  const node = compile(schema);
  return (value, options) => {
    const context: Context = { literals: options?.literals === true, hasUnknownFields: false };
    try {
      const object = objectOf(value === null ? node.zero() : node.normalize(value, context));
      return { object, hasUnknownFields: context.hasUnknownFields };
    } catch (cause) {
      throw new DecodeError(explainMismatch(schema, value) ?? String(cause), { cause });
    }
  };
}
