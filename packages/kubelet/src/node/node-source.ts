import type { Node } from '@coxswain/api/core/v1';
import { type ClientSet, type Clock, type Logger, SharedIndexInformer, stripManagedFields } from '@coxswain/client';

/** Where a kubelet sees its own node. */
export interface NodeSource {
  /** Undefined when there is none of that name, or it is not known yet. */
  get(name: string): Node | undefined;
  /** Tells of the node, when it is there and whenever it changes. Answers how to listen no more. */
  subscribe(name: string, onNode: (node: Node) => void): () => void;
}

export interface InformerNodeSourceOptions {
  readonly clients: ClientSet;
  /** This node alone; without, all of them: one watch for a whole fleet. */
  readonly nodeName?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Nodes by one watch of the API server. */
export class InformerNodeSource implements NodeSource {
  readonly #informer: SharedIndexInformer<Node>;
  readonly #handlers = new Map<string, Set<(node: Node) => void>>();

  constructor({ clients, nodeName, clock, logger }: InformerNodeSourceOptions) {
    const nodes = clients.core.v1.nodes();
    const only = nodeName === undefined ? {} : { fieldSelector: `metadata.name=${nodeName}` };
    this.#informer = new SharedIndexInformer<Node>(
      {
        list: (options) => nodes.list({ ...options, ...only }),
        watch: (options) => nodes.watch({ ...options, ...only }),
      },
      { name: 'nodes', transform: stripManagedFields, ...(clock && { clock }), ...(logger && { logger }) },
    );
    const tell = (node: Node): void => {
      for (const handler of this.#handlers.get(node.metadata.name ?? '') ?? []) handler(node);
    };
    this.#informer.addEventHandler({ onAdd: tell, onUpdate: (_, node) => tell(node) });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return this.#informer.whenSynced(signal);
  }

  get(name: string): Node | undefined {
    return this.#informer.indexer.getByKey(name);
  }

  subscribe(name: string, onNode: (node: Node) => void): () => void {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(onNode));
    const known = this.get(name);
    if (known) onNode(known);
    return () => {
      handlers.delete(onNode);
      if (handlers.size === 0) this.#handlers.delete(name);
    };
  }
}
