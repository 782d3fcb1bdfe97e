import { isJsonObject } from '../json/own-entry.ts';
import { describeJson, scalarForms, TypeMismatch } from './canonical-scalar.ts';
import { goTypeOf } from './go-type.ts';
import { NumberLiteral } from './number-literal.ts';
import type { ScalarSchema, Schema, SchemaOrSchema, StructSchema } from './schema.ts';

/** The position of a value: the struct that has the field, and the names on the way to it. Lists and maps add no names. */
interface Place {
  readonly owner: StructSchema;
  readonly path: readonly string[];
}

/** Ends the search, because an error of a type that decodes its own JSON is reported at once. */
class Fatal extends Error {}

/** Finds upstream's message for a value that does not fit its type. */
class Explainer {
  /** The first type error. Go's decoder continues after a type error, and reports the first one in the end. */
  #first: string | undefined;

  explain(schema: StructSchema, value: unknown): string | undefined {
    try {
      this.#visit(schema, value, { owner: schema, path: [] });
      return this.#first;
    } catch (error) {
      if (error instanceof Fatal) return error.message;
      throw error;
    }
  }

  #visit(schema: Schema, value: unknown, place: Place): void {
    if (value === null || value === undefined) return;
    if (schema.kind === 'struct' && isObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        const field = schema.fields.get(key);
        if (field) this.#visit(field.schema, child, { owner: schema, path: [...place.path, ...goPath(schema, key)] });
      }
    } else if (schema.kind === 'list' && Array.isArray(value)) {
      for (const item of value) this.#visit(schema.items, item, place);
    } else if (schema.kind === 'map' && isObject(value)) {
      for (const child of Object.values(value)) this.#visit(schema.values, child, place);
    } else if (schema.kind === 'schemaOr') {
      this.#visitSchemaOr(schema, value, place);
    } else if (schema.kind === 'struct' || schema.kind === 'list' || schema.kind === 'map') {
      this.#first ??= describe(describeJson(value), goTypeOf(schema, place.owner), place);
    } else {
      this.#visitScalar(schema, value, place);
    }
  }

  #visitSchemaOr({ alternative, schema }: SchemaOrSchema, value: unknown, place: Place): void {
    const outer = this.#first;
    this.#first = undefined;
    if (isObject(value)) this.#visit(schema, value, place);
    else if (alternative === 'bool') {
      if (typeof value !== 'boolean') throw new Fatal('boolean or JSON schema expected');
    } else if (Array.isArray(value)) {
      for (const item of value) this.#visit(alternative === 'array' ? schema : { kind: 'string' }, item, place);
    }
    if (this.#first !== undefined) throw new Fatal(this.#first);
    this.#first = outer;
  }

  #visitScalar(schema: ScalarSchema, value: unknown, place: Place): void {
    const { canonical, isStruct } = scalarForms[schema.kind];
    try {
      canonical(value);
    } catch (error) {
      const message =
        error instanceof TypeMismatch
          ? describe(error.found, error.goType ?? goTypeOf(schema, place.owner), place)
          : error instanceof Error
            ? error.message
            : String(error);
      if (isStruct) throw new Fatal(message);
      this.#first ??= message;
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && !(value instanceof NumberLiteral);

function describe(found: string, goType: string, { owner, path }: Place): string {
  const where = path.length === 0 ? 'Go value' : `Go struct field ${owner.name}.${path.join('.')}`;
  return `json: cannot unmarshal ${found} into ${where} of type ${goType}`;
}

/** Returns the names that lead to a field. An inlined struct is named by its type. */
function goPath(schema: StructSchema, key: string): string[] {
  for (const field of schema.declared) {
    if (!field.inline || field.schema.kind !== 'struct') continue;
    if (field.schema.fields.has(key)) return [field.schema.name, ...goPath(field.schema, key)];
  }
  return [key];
}

/**
 * Returns the message of upstream's JSON decoder for the value; undefined when it fits the type. Visits values in the order of the
 * document, because the first type error is the one reported. An error of a type that decodes itself (a quantity, a time) takes
 * precedence over all type errors.
 */
export function explainMismatch(schema: StructSchema, value: unknown): string | undefined {
  return new Explainer().explain(schema, value);
}
