import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** The number of shapes remembered for a type: the containers of a pod differ, the pods of a Deployment do not. */
const maxShapes = 4;
/** Containers with more children, such as a map of user data, are not remembered: they rarely repeat and would take memory. */
const maxChildren = 64;

/** A container (struct, map or list) seen before, and its set. */
export interface Shape {
  /** The values that identify its children: their path elements, the keys of a map, or the key values of a list's items. */
  readonly names: readonly unknown[];
  /** The path element of each child, in the order of `names`. */
  readonly elements: readonly PathElement[];
  /** The set of each child. Some are empty. */
  readonly children: readonly FieldSet[];
  readonly set: FieldSet;
}

/**
 * A cache of the sets that containers of one type had recently. Most objects of a kind look alike, so the set made for the last one, and
 * its fieldsV1, can be reused. Comparing the names is far cheaper than making a set.
 */
export class RecentShapes {
  readonly #shapes: Shape[] = [];
  #newest = -1;

  /** Returns the newest shape with these names and, if given, these children. */
  find(names: readonly unknown[], children?: readonly FieldSet[]): Shape | undefined {
    const { length } = this.#shapes;
    for (let age = 0; age < length; age++) {
      const shape = this.#shapes[(this.#newest - age + length) % length]!;
      if (isSame(shape.names, names) && (!children || isSame(shape.children, children))) return shape;
    }
    return undefined;
  }

  /** Adds a shape. Its arrays must not be modified afterwards. */
  remember(shape: Shape): void {
    if (shape.elements.length > maxChildren) return;
    this.#newest = (this.#newest + 1) % maxShapes;
    this.#shapes[this.#newest] = shape;
  }

  /** Returns the node that is not a member and has these children. The arrays must not be modified afterwards. */
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
