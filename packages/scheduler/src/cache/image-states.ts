import type { Node } from '@coxswain/api/core/v1';
import type { ImageState } from '../framework/node-info.ts';

interface SharedImageState extends ImageState {
  nodes: number;
}

const namesOf = ({ status }: Node): string[] => [...new Set(status?.images?.flatMap(({ names }) => names ?? []))];

/** The images on the nodes, and the number of nodes that have each. Nodes with the same image share its state. */
export class ImageStates {
  /** By name. Contains only images that some node has. */
  readonly #states = new Map<string, SharedImageState>();

  /** Counts the node's images and returns their states by name. */
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
