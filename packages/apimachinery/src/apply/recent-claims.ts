import type { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** How many are remembered of one type: the containers of a pod differ, the pods of a Deployment do not. */
const maxClaims = 4;
/** What has more children than that, such as a map with somebody's data, is hardly ever met again, and would take room. */
const maxChildren = 64;

/** A container that was met, and what it claims. */
export interface Claim {
  /** What its children are told apart by: the keys of a map; of a list, the values of its items' keys. */
  readonly names: readonly unknown[];
  /** Of each child, in the same order. */
  readonly elements: readonly PathElement[];
  /** What each child claims; some claim nothing. */
  readonly children: readonly FieldSet[];
  readonly set: FieldSet;
}

/**
 * The containers of one type that were met lately. Most objects of a kind look alike, and to see that one looks like
 * the last takes no more than a look at its names, while to make a set of it takes a lot.
 */
export class RecentClaims {
  readonly #claims: Claim[] = [];
  #newest = -1;

  /** The newest that has these names and, where they are given, children that claim just that. */
  find(names: readonly unknown[], children?: readonly FieldSet[]): Claim | undefined {
    const { length } = this.#claims;
    for (let age = 0; age < length; age++) {
      const claim = this.#claims[(this.#newest - age + length) % length]!;
      if (isSame(claim.names, names) && (!children || isSame(claim.children, children))) return claim;
    }
    return undefined;
  }

  /** Its lists must not be changed afterwards. */
  remember(claim: Claim): void {
    if (claim.elements.length > maxChildren) return;
    this.#newest = (this.#newest + 1) % maxClaims;
    this.#claims[this.#newest] = claim;
  }
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
