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
 * A value that is known to fit its schema. Immutable, and so must be the value it holds: results share with
 * it whatever they did not change.
 */
export class TypedValue {
  readonly value: unknown;
  readonly #type: ValueType;

  private constructor(value: unknown, type: ValueType) {
    this.value = value;
    this.#type = type;
  }

  /**
   * Throws TypedValueError when the value does not fit the schema. The schema `any` lets everything pass and tells the
   * types from the values. `allowDuplicates`: several items of a list may have the same keys.
   */
  static of(value: unknown, schema: Schema, options: { allowDuplicates?: boolean } = {}): TypedValue {
    const type = valueTypeOf(schema);
    validateValue(type, value, options.allowDuplicates);
    return new TypedValue(value, type);
  }

  /** A value that is known to fit, because it was read by the schema. Items without their keys are found when they are asked for. */
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

  /** `config`, a value of the same schema without duplicates, laid over this one. */
  merge(config: TypedValue): TypedValue {
    return new TypedValue(mergeValues(this.#type, this.value, config.value), this.#type);
  }

  /** The paths, as text, of what it holds that can only be replaced as a whole. What maps hold is not looked at. */
  atomics(): string[] {
    return findAtomics(this.#type, this.value);
  }

  /** Without the fields and items in the set; what lost all of its content becomes null. */
  removeItems(set: FieldSet): TypedValue {
    return new TypedValue(removeItems(this.#type, this.value, set), this.#type);
  }

  /** Only the fields and items in the set. */
  extractItems(set: FieldSet): TypedValue {
    return new TypedValue(extractItems(this.#type, this.value, set), this.#type);
  }

  /** The set, and the struct fields on the way to its members. */
  withNamedFields(set: FieldSet): FieldSet {
    return withNamedFields(this.#type, set);
  }
}

/** The set as it would be had it been written with this schema: below what is atomic now there is nothing to own. */
export const reconcileFieldSet = (set: FieldSet, schema: Schema): FieldSet =>
  reconcileWithSchema(valueTypeOf(schema), set);
