import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** How many shapes of one container are remembered: the containers of a pod differ, the pods of a Deployment do not. */
const maxShapes = 4;
/** What has more children than that, such as a map with somebody's data, is hardly ever met again, and would take room. */
const maxChildren = 64;

interface Shape {
  readonly elements: readonly PathElement[];
  readonly children: readonly FieldSet[];
  readonly set: FieldSet;
}

/**
 * The sets that containers of one type had lately. Most objects of a kind look alike: what was made for the last one
 * serves again, and with it what it looks like in fieldsV1.
 */
export class RecentShapes {
  readonly #shapes: Shape[] = [];
  #oldest = 0;

  /** The node that is no member and has these children, by their elements. The lists must not be changed afterwards. */
  node(elements: readonly PathElement[], children: readonly FieldSet[]): FieldSet {
    for (const shape of this.#shapes) if (isSame(shape, elements, children)) return shape.set;
    const byElement = new Map<PathElement, FieldSet>();
    for (let i = 0; i < elements.length; i++) byElement.set(elements[i]!, children[i]!);
    const set = FieldSet.node(false, byElement);
    if (elements.length > maxChildren) return set;
    this.#shapes[this.#oldest] = { elements, children, set };
    this.#oldest = (this.#oldest + 1) % maxShapes;
    return set;
  }
}

function isSame(shape: Shape, elements: readonly PathElement[], children: readonly FieldSet[]): boolean {
  if (shape.elements.length !== elements.length) return false;
  for (let i = 0; i < elements.length; i++)
    if (shape.children[i] !== children[i] || shape.elements[i] !== elements[i]) return false;
  return true;
}
