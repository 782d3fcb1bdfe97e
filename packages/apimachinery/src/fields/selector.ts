import { ownEntry } from '../json/own-entry.ts';
import { escapeValue } from './escape.ts';

/** The fields of an object that field selectors can refer to. */
export type Fields = Readonly<Record<string, string>>;

/** One condition on one field. */
export interface Requirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Rewrites a field and its value, for another version of a kind. When both results are empty, the requirement is dropped. */
export type TransformFunc = (field: string, value: string) => readonly [field: string, value: string];

/** A conjunction of requirements on fields, or the selector that selects nothing. Immutable. */
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

  /** Returns a selector of objects whose fields all have these values. */
  static fromSet(fields: Fields | undefined): Selector {
    return Selector.of(
      Object.entries(fields ?? {}).map(([field, value]) => ({ field, operator: '=', value }) as const),
    );
  }

  /** Returns a selector of the objects that all of the selectors select. */
  static and(...selectors: readonly Selector[]): Selector {
    if (selectors.some((selector) => selector.#requirements === undefined)) return Selector.nothing;
    return Selector.of(selectors.flatMap((selector) => selector.requirements()));
  }

  /** Whether fields match all requirements. An absent field counts as empty. */
  matches(fields: Fields): boolean {
    if (this.#requirements === undefined) return false;
    for (const { field, operator, value } of this.#requirements) {
      if (((ownEntry(fields, field) ?? '') === value) !== (operator === '=')) return false;
    }
    return true;
  }

  /** Whether it selects everything. */
  isEmpty(): boolean {
    return this.#requirements?.length === 0;
  }

  /** Returns the requirements; none for the selectors of everything and of nothing. */
  requirements(): readonly Requirement[] {
    return this.#requirements ?? [];
  }

  /** Returns the value that the field must have to match; undefined when there is no such requirement. */
  requiresExactMatch(field: string): string | undefined {
    return this.#requirements?.find((requirement) => requirement.operator === '=' && requirement.field === field)
      ?.value;
  }

  /** Returns a new selector with every requirement rewritten. Throws the errors of `rewrite`. */
  transform(rewrite: TransformFunc): Selector {
    if (this.#requirements === undefined) return this;
    const rewritten: Requirement[] = [];
    for (const requirement of this.#requirements) {
      const [field, value] = rewrite(requirement.field, requirement.value);
      if (field !== '' || value !== '') rewritten.push({ field, operator: requirement.operator, value });
    }
    return Selector.of(rewritten);
  }

  /** Returns the text that `parse` parses. It is empty for the selectors of everything and of nothing. */
  toString(): string {
    return this.requirements()
      .map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`)
      .join(',');
  }
}

/** Returns a selector of objects whose field has this value. */
export const oneTermEqualSelector = (field: string, value: string): Selector =>
  Selector.of([{ field, operator: '=', value }]);

/** Returns a selector of objects whose field has any other value. */
export const oneTermNotEqualSelector = (field: string, value: string): Selector =>
  Selector.of([{ field, operator: '!=', value }]);
