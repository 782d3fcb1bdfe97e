import type { Node } from '@coxswain/api/core/v1';
import type { ImageState } from '../framework/node-info.ts';

interface SharedImageState extends ImageState {
  nodes: number;
}

const namesOf = ({ status }: Node): string[] => [...new Set(status?.images?.flatMap(({ names }) => names ?? []))];

/** Which images there are on the nodes, and on how many. Nodes that have an image share what is known of it. */
export class ImageStates {
  /** By name; none that no node has. */
  readonly #states = new Map<string, SharedImageState>();

  /** Counts a node's images; what is known of them. */
  add(node: Node): ReadonlyMap<string, ImageState> {
    const states = new Map<string, ImageState>();
    for (const { names, sizeBytes = 0 } of node.status?.images ?? []) {
      for (const name of names ?? []) {
        if (states.has(name)) continue;
        let state = this.#states.get(name);
        if (!state) {
          state = { size: Number(sizeBytes), nodes: 0 };
          this.#states.set(name, state);
        }
        state.nodes++;
        states.set(name, state);
      }
    }
    return states;
  }

  remove(node: Node): void {
    for (const name of namesOf(node)) {
      const state = this.#states.get(name);
      if (state && --state.nodes === 0) this.#states.delete(name);
    }
  }
}
