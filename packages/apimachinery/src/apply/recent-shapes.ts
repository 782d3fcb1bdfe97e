import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** How many shapes of one type are remembered: the containers of a pod differ, the pods of a Deployment do not. */
const maxShapes = 4;
/** What has more children than that, such as a map with somebody's data, is hardly ever met again, and would take room. */
const maxChildren = 64;

/** A container that was met, and its set. */
export interface Shape {
  /** What its children are told apart by: their elements, the keys of a map, or the values of the keys of a list's items. */
  readonly names: readonly unknown[];
  /** Of each child, in the same order. */
  readonly elements: readonly PathElement[];
  /** The set of each child; some are empty. */
  readonly children: readonly FieldSet[];
  readonly set: FieldSet;
}

/**
 * The shapes that containers of one type had lately. Most objects of a kind look alike: the set that was made for the last one, and its
 * fieldsV1, serve again. To see that one looks like the last takes a look at its names; to make a set takes far longer.
 */
export class RecentShapes {
  readonly #shapes: Shape[] = [];
  #newest = -1;

  /** The newest with these names and, where they are given, these children. */
  find(names: readonly unknown[], children?: readonly FieldSet[]): Shape | undefined {
    const { length } = this.#shapes;
    for (let age = 0; age < length; age++) {
      const shape = this.#shapes[(this.#newest - age + length) % length]!;
      if (isSame(shape.names, names) && (!children || isSame(shape.children, children))) return shape;
    }
    return undefined;
  }

  /** Its lists must not be changed afterwards. */
  remember(shape: Shape): void {
    if (shape.elements.length > maxChildren) return;
    this.#newest = (this.#newest + 1) % maxShapes;
    this.#shapes[this.#newest] = shape;
  }

  /** The node that is no member and has these children, by their elements. The lists must not be changed afterwards. */
  node(elements: readonly PathElement[], children: readonly FieldSet[]): FieldSet {
    const known = this.find(elements, children);
    if (known) return known.set;
    const byElement = new Map<PathElement, FieldSet>();
    for (let i = 0; i < elements.length; i++) byElement.set(elements[i]!, children[i]!);
    const set = FieldSet.node(false, byElement);
    this.remember({ names: elements, elements, children, set });
    return set;
  }
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
