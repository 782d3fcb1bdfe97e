import { ownEntry } from '../json/own-entry.ts';
import { escapeValue } from './escape.ts';

/** The fields of an object that can be selected by. */
export type Fields = Readonly<Record<string, string>>;

/** One condition on one field. */
export interface Requirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Rewrites a field and its value, for another version of a kind. Both empty drops the requirement. */
export type TransformFunc = (field: string, value: string) => readonly [field: string, value: string];

/** A conjunction of requirements on fields; or the selector that selects nothing. Immutable. */
export class Selector {
  static readonly everything: Selector = new Selector([]);
  static readonly nothing: Selector = new Selector(undefined);

  readonly #requirements: readonly Requirement[] | undefined;

  private constructor(requirements: readonly Requirement[] | undefined) {
    this.#requirements = requirements;
  }

  static of(requirements: readonly Requirement[]): Selector {
    return requirements.length === 0 ? Selector.everything : new Selector([...requirements]);
  }

  /** Fields that all have their value. */
  static fromSet(fields: Fields | undefined): Selector {
    return Selector.of(
      Object.entries(fields ?? {}).map(([field, value]) => ({ field, operator: '=', value }) as const),
    );
  }

  /** What all of the selectors select. */
  static and(...selectors: readonly Selector[]): Selector {
    if (selectors.some((selector) => selector.#requirements === undefined)) return Selector.nothing;
    return Selector.of(selectors.flatMap((selector) => selector.requirements()));
  }

  /** A field that is absent counts as empty. */
  matches(fields: Fields): boolean {
    if (this.#requirements === undefined) return false;
    for (const { field, operator, value } of this.#requirements) {
      if (((ownEntry(fields, field) ?? '') === value) !== (operator === '=')) return false;
    }
    return true;
  }

  /** It selects everything. */
  isEmpty(): boolean {
    return this.#requirements?.length === 0;
  }

  /** Also empty for the selector that selects nothing. */
  requirements(): readonly Requirement[] {
    return this.#requirements ?? [];
  }

  /** The value that the field must have to match. */
  requiresExactMatch(field: string): string | undefined {
    return this.#requirements?.find((requirement) => requirement.operator === '=' && requirement.field === field)
      ?.value;
  }

  /** A new selector, every requirement rewritten. Throws what the function throws. */
  transform(rewrite: TransformFunc): Selector {
    if (this.#requirements === undefined) return this;
    const rewritten: Requirement[] = [];
    for (const requirement of this.#requirements) {
      const [field, value] = rewrite(requirement.field, requirement.value);
      if (field !== '' || value !== '') rewritten.push({ field, operator: requirement.operator, value });
    }
    return Selector.of(rewritten);
  }

  /** The text that `parse` reads back. Empty for everything and for nothing. */
  toString(): string {
    return this.requirements()
      .map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`)
      .join(',');
  }
}

/** The selector for one field with one value. */
export const oneTermEqualSelector = (field: string, value: string): Selector =>
  Selector.of([{ field, operator: '=', value }]);

/** The selector for one field with any value but one. */
export const oneTermNotEqualSelector = (field: string, value: string): Selector =>
  Selector.of([{ field, operator: '!=', value }]);
