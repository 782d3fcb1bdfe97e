import type { Schema } from '../schema/schema.ts';
import { type Comparison, compareValues } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { reconcileWithSchema, withNamedFields } from './field-set-schema.ts';
import { findAtomics } from './find-atomics.ts';
import { mergeValues } from './merge.ts';
import { extractItems, removeItems } from './remove-items.ts';
import { toFieldSet } from './to-field-set.ts';
import { validateValue } from './validate-value.ts';
import { type ValueType, valueTypeOf } from './value-type.ts';

/**
 * A value that fits its schema. Immutable; the value it holds must not be modified either, since results share the unchanged parts with
 * it.
 */
export class TypedValue {
  readonly value: unknown;
  readonly #type: ValueType;

  private constructor(value: unknown, type: ValueType) {
    this.value = value;
    this.#type = type;
  }

  /**
   * Throws TypedValueError when the value does not fit the schema. With the schema `any` every value fits and types are deduced from the
   * values. `allowDuplicates`: several items of a list may have the same keys.
   */
  static of(value: unknown, schema: Schema, options: { allowDuplicates?: boolean } = {}): TypedValue {
    const type = valueTypeOf(schema);
    validateValue(type, value, options.allowDuplicates);
    return new TypedValue(value, type);
  }

  /**
   * Returns a TypedValue without validation, for a value that was decoded with the schema. List items without their keys make the
   * operations throw that need their path elements.
   */
  static fitting(value: unknown, schema: Schema): TypedValue {
    return new TypedValue(value, valueTypeOf(schema));
  }

  /** The fields that applying the value claims. */
  toFieldSet(): FieldSet {
    return toFieldSet(this.#type, this.value);
  }

  /** How `after`, a value of the same schema, differs from this one. */
  compare(after: TypedValue): Comparison {
    return compareValues(this.#type, this.value, after.value);
  }

  /** Merges `config`, a value of the same schema without duplicates, into this one. */
  merge(config: TypedValue): TypedValue {
    return new TypedValue(mergeValues(this.#type, this.value, config.value), this.#type);
  }

  /** Returns the printed paths of the atomic structs, maps and lists in the value. The values of maps are not searched. */
  atomics(): string[] {
    return findAtomics(this.#type, this.value);
  }

  /** Returns the value without the fields and items in the set. A container that lost all of its content becomes null. */
  removeItems(set: FieldSet): TypedValue {
    return new TypedValue(removeItems(this.#type, this.value, set), this.#type);
  }

  /** Returns only the fields and items in the set. */
  extractItems(set: FieldSet): TypedValue {
    return new TypedValue(extractItems(this.#type, this.value, set), this.#type);
  }

  /** Returns the set with the struct fields above its members. */
  withNamedFields(set: FieldSet): FieldSet {
    return withNamedFields(this.#type, set);
  }
}

/** Returns the set as if it had been written with this schema: members below a path that is atomic now are replaced by that path. */
export const reconcileFieldSet = (set: FieldSet, schema: Schema): FieldSet =>
  reconcileWithSchema(valueTypeOf(schema), set);
