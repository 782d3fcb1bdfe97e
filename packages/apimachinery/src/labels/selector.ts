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

  /** Labels that are all there, their keys and values taken as they are. */
  static fromSet(labels: Labels | undefined): Selector {
    return Selector.of(Object.entries(labels ?? {}).map(([key, value]) => Requirement.ofValidated(key, value)));
  }

  /** The same, but throws like `Requirement.of` when a key or value is not valid. */
  static validatedFromSet(labels: Labels | undefined): Selector {
    return Selector.of(Object.entries(labels ?? {}).map(([key, value]) => Requirement.of(key, '=', [value])));
  }

  matches(labels: Labels | undefined): boolean {
    if (this.#requirements === undefined) return false;
    for (const requirement of this.#requirements) if (!requirement.matches(labels)) return false;
    return true;
  }

  /** It selects everything. */
  isEmpty(): boolean {
    return this.#requirements?.length === 0;
  }

  /** Undefined for the selector that selects nothing. */
  requirements(): readonly Requirement[] | undefined {
    return this.#requirements;
  }

  /** A selector that asks for these as well; nothing stays nothing. */
  add(...requirements: readonly Requirement[]): Selector {
    return this.#requirements === undefined ? this : Selector.of([...this.#requirements, ...requirements]);
  }

  /** The only value of that label with which anything can match, as far as the first requirement on it tells. */
  requiresExactMatch(label: string): string | undefined {
    const requirement = this.#requirements?.find(({ key }) => key === label);
    if (!requirement || !single.has(requirement.operator) || requirement.values.length !== 1) return undefined;
    return requirement.values[0];
  }

  /** The canonical form, which `parse` reads back. Empty for everything and for nothing. */
  toString(): string {
    return this.#requirements?.join(',') ?? '';
  }
}

const byKey = (a: Requirement, b: Requirement): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
