import { jsonEquals } from '../json/equals.ts';
import { isJsonObject, setOwnEntry } from '../json/own-entry.ts';
import { scalarForms, withoutLiterals } from './canonical-scalar.ts';
import { DecodeError } from './decode-error.ts';
import { explainMismatch } from './explain-mismatch.ts';
import { NumberLiteral } from './number-literal.ts';
import { propertyKey } from './property-key.ts';
import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, SchemaOrSchema, StructSchema } from './schema.ts';
import { alwaysWrittenFields, isAlwaysWritten, isEmptyValue, unsetValueOf, zeroValueOf } from './zero-value.ts';

type JsonObject = Record<string, unknown>;

export interface NormalizeOptions {
  /** The value comes from the exact parser and may contain NumberLiterals. */
  readonly literals?: boolean;
}

export interface Normalized {
  readonly object: JsonObject;
  /** Whether fields were left out because the schema does not know them. */
  readonly hasUnknownFields: boolean;
}

/**
 * Returns the object that Go's decoder and encoder would make of a parsed JSON value, for one type: unknown fields are removed, zero
 * values are omitted or written as the type's tags specify, quantities and times are canonical. Returns the same objects and lists where
 * nothing had to change; never modifies its argument.
 *
 * Throws DecodeError with upstream's message when a value does not fit the type. The value must be no deeper than MAX_JSON_DEPTH.
 */
export type Normalizer = (value: unknown, options?: NormalizeOptions) => Normalized;

interface Context {
  readonly literals: boolean;
  hasUnknownFields: boolean;
}

/** One compiled type. */
interface Node {
  /** `value` is never null, which is the same as absent. Throws any error when the value does not fit. */
  normalize(value: unknown, context: Context): unknown;
}

/** Thrown for a value that does not fit; `explainMismatch` finds the message. */
const mismatch = new Error('mismatch');
// The stack is not used, and it would keep the module that loads this one in memory.
mismatch.stack = '';

class ScalarNode implements Node {
  readonly #canonical: (value: unknown) => unknown;

  constructor(schema: ScalarSchema) {
    this.#canonical = scalarForms[schema.kind].canonical;
  }

  normalize(value: unknown, context: Context): unknown {
    const canonical = this.#canonical(value);
    return context.literals ? withoutLiterals(canonical) : canonical;
  }
}

class ListNode implements Node {
  readonly #schema: Schema;
  readonly #items: Node;

  constructor({ items }: ListSchema) {
    this.#schema = items;
    this.#items = compile(items);
  }

  normalize(value: unknown, context: Context): unknown {
    if (!Array.isArray(value)) throw mismatch;
    const source: readonly unknown[] = value;
    const items = this.#items;
    let target: unknown[] | undefined;
    for (let i = 0; i < source.length; i++) {
      const before = source[i];
      const after = before === null ? zeroValueOf(this.#schema) : items.normalize(before, context);
      if (target !== undefined) {
        target.push(after);
      } else if (after !== before) {
        target = source.slice(0, i);
        target.push(after);
      }
    }
    return target ?? source;
  }
}

class MapNode implements Node {
  readonly #schema: Schema;
  readonly #values: Node;

  constructor({ values }: MapSchema) {
    this.#schema = values;
    this.#values = compile(values);
  }

  normalize(value: unknown, context: Context): unknown {
    const source = objectOf(value);
    const values = this.#values;
    let target: JsonObject | undefined;
    for (const key in source) {
      const before = source[key];
      const after = before === null ? zeroValueOf(this.#schema) : values.normalize(before, context);
      if (target === undefined) {
        if (after === before) continue;
        target = entriesBefore(source, key);
      }
      setOwnEntry(target, key, after);
    }
    return target ?? source;
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
    if (isJsonObject(value) && !(value instanceof NumberLiteral)) return this.#schema.normalize(value, context);
    if (this.#alternative !== 'bool') return null;
    if (typeof value !== 'boolean') throw mismatch;
    return value;
  }
}

/** Kinds that are handled in place, without a call. */
type PlainKind = 'string' | 'bool' | 'int32';

const plainKindOf = ({ kind }: Schema): PlainKind | undefined =>
  kind === 'string' || kind === 'bool' || kind === 'int32' ? kind : undefined;

class FieldNode {
  readonly field: Field;
  readonly #node: Node;
  readonly plain: PlainKind | undefined;
  /** Omit values that `omitempty` considers empty. */
  readonly dropEmpty: boolean;
  readonly #dropZero: boolean;
  readonly always: boolean;

  constructor(field: Field) {
    this.field = field;
    this.#node = compile(field.schema);
    this.plain = plainKindOf(field.schema);
    this.dropEmpty = field.omitEmpty && !field.pointer;
    this.#dropZero = field.omitZero && !field.pointer;
    this.always = isAlwaysWritten(field);
  }

  /** Returns the value for null; undefined when the field is omitted. */
  ofNull(): unknown {
    if (this.field.schema.nullable) return null;
    return this.always ? unsetValueOf(this.field) : undefined;
  }

  normalize(value: unknown, context: Context): unknown {
    const { schema } = this.field;
    const after = this.#node.normalize(value, context);
    if (this.dropEmpty && isEmptyValue(schema, after)) return undefined;
    return this.#dropZero && jsonEquals(after, zeroValueOf(schema)) ? undefined : after;
  }
}

class StructNode implements Node {
  readonly #schema: StructSchema;
  readonly #keepUnknown: boolean;
  #fields: Map<string, FieldNode> | undefined;
  #always: readonly Field[] = [];

  constructor(schema: StructSchema) {
    this.#schema = schema;
    this.#keepUnknown = schema.preserveUnknownFields === true;
  }

  /** Types can be recursive, and most are never used: a struct's fields are compiled at its first use. */
  #compileFields(): Map<string, FieldNode> {
    const fields = new Map<string, FieldNode>();
    for (const [name, field] of this.#schema.fields) fields.set(propertyKey(name), new FieldNode(field));
    this.#fields = fields;
    this.#always = alwaysWrittenFields(this.#schema);
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
      } else if (before === null || before === undefined) {
        after = field.ofNull();
      } else {
        switch (field.plain) {
          case 'string':
            if (typeof before !== 'string') throw mismatch;
            if (before !== '' || !field.dropEmpty) after = before;
            break;
          case 'bool':
            if (typeof before !== 'boolean') throw mismatch;
            if (before || !field.dropEmpty) after = before;
            break;
          case 'int32':
            if (typeof before !== 'number' || (before | 0) !== before) throw mismatch;
            if (before !== 0 || !field.dropEmpty) after = before;
            break;
          default:
            after = field.normalize(before, context);
        }
      }
      if (field?.always) written++;
      if (target === undefined) {
        if (after === before) continue;
        target = entriesBefore(source, key);
      }
      if (after !== undefined) setOwnEntry(target, key, after);
    }
    if (written !== this.#always.length) {
      target ??= { ...source };
      for (const field of this.#always) {
        if (!Object.hasOwn(target, field.name)) setOwnEntry(target, field.name, unsetValueOf(field));
      }
    }
    return target ?? source;
  }
}

function objectOf(value: unknown): JsonObject {
  if (!isJsonObject(value) || value instanceof NumberLiteral) throw mismatch;
  return value;
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
      const known = structNodes.get(schema);
      if (known) return known;
      const node = new StructNode(schema);
      structNodes.set(schema, node);
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

/**
 * Whether an empty list of managedFields clears them, as `[{}]` does; without a list they stay. It is the only empty list that
 * `omitempty` must not omit.
 */
function clearsManagedFields(value: unknown): boolean {
  const metadata = isJsonObject(value) ? value.metadata : undefined;
  const entries = isJsonObject(metadata) ? metadata.managedFields : undefined;
  return Array.isArray(entries) && entries.length === 0;
}

/** Compiles a type's normaliser. A type is compiled only once. */
export function compileNormalizer(schema: StructSchema): Normalizer {
  const node = compile(schema);
  return (value, options) => {
    const context: Context = { literals: options?.literals === true, hasUnknownFields: false };
    try {
      const object = objectOf(value === null ? zeroValueOf(schema) : node.normalize(value, context));
      if (clearsManagedFields(value) && isJsonObject(object.metadata)) object.metadata.managedFields = [];
      return { object, hasUnknownFields: context.hasUnknownFields };
    } catch (cause) {
      throw new DecodeError(explainMismatch(schema, value) ?? String(cause), { cause });
    }
  };
}
