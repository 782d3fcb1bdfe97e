import type { Operator } from './requirement.ts';
import { Requirement } from './requirement.ts';
import type { Labels } from './set.ts';

const single: ReadonlySet<Operator> = new Set<Operator>(['=', '==', 'in']);

/** A conjunction of requirements on labels, sorted by key; or the selector that selects nothing. Immutable. */
export class Selector {
  static readonly everything: Selector = new Selector([]);
  static readonly nothing: Selector = new Selector(undefined);

  readonly #requirements: readonly Requirement[] | undefined;

  private constructor(requirements: readonly Requirement[] | undefined) {
    this.#requirements = requirements;
  }

  static of(requirements: readonly Requirement[]): Selector {
    return requirements.length === 0 ? Selector.everything : new Selector([...requirements].sort(byKey));
  }

  /** Returns a selector that requires all of these labels. Keys and values are not validated. */
  static fromSet(labels: Labels | undefined): Selector {
    return Selector.of(Object.entries(labels ?? {}).map(([key, value]) => Requirement.ofValidated(key, value)));
  }

  /** Like `fromSet`, but throws like `Requirement.of` when a key or value is not valid. */
  static validatedFromSet(labels: Labels | undefined): Selector {
    return Selector.of(Object.entries(labels ?? {}).map(([key, value]) => Requirement.of(key, '=', [value])));
  }

  matches(labels: Labels | undefined): boolean {
    if (this.#requirements === undefined) return false;
    for (const requirement of this.#requirements) if (!requirement.matches(labels)) return false;
    return true;
  }

  /** Whether it selects everything. */
  isEmpty(): boolean {
    return this.#requirements?.length === 0;
  }

  /** Returns the requirements; undefined for the selector that selects nothing. */
  requirements(): readonly Requirement[] | undefined {
    return this.#requirements;
  }

  /** Returns a selector with additional requirements. The selector that selects nothing stays as it is. */
  add(...requirements: readonly Requirement[]): Selector {
    return this.#requirements === undefined ? this : Selector.of([...this.#requirements, ...requirements]);
  }

  /**
   * Returns the only value of the label that can match, according to the first requirement on the label; undefined when there is no such
   * value.
   */
  requiresExactMatch(label: string): string | undefined {
    const requirement = this.#requirements?.find(({ key }) => key === label);
    if (!requirement || !single.has(requirement.operator) || requirement.values.length !== 1) return undefined;
    return requirement.values[0];
  }

  /** Returns the canonical form, which `parse` parses. It is empty for the selectors of everything and of nothing. */
  toString(): string {
    return this.#requirements?.join(',') ?? '';
  }
}

const byKey = (a: Requirement, b: Requirement): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
