import type { Node } from '@coxswain/api/core/v1';
import { type DeletedFinalStateUnknown, deletedObject, type ResourceEventHandler } from '@coxswain/client';
import { eventLabel, nodeAdd, nodeDelete } from './cluster-events.ts';
import type { EventHandlersContext } from './event-handlers-context.ts';
import { nodeChanges } from './node-changes.ts';

/** Updates the cache's nodes, and notifies the queue of changes that may make waiting pods schedulable. */
export class NodeEventHandler implements ResourceEventHandler<Node> {
  readonly #context: EventHandlersContext;

  constructor(context: EventHandlersContext) {
    this.#context = context;
  }

  onAdd(node: Node): void {
    this.#context.observe(eventLabel(nodeAdd), () => {
      this.#context.cache.addNode(node);
      this.#context.queue.moveAllToActiveOrBackoffQueue(nodeAdd, undefined, node);
    });
  }

  onUpdate(old: Node, node: Node): void {
    this.#context.cache.updateNode(old, node);
    for (const event of nodeChanges(old, node)) {
      this.#context.observe(eventLabel(event), () =>
        this.#context.queue.moveAllToActiveOrBackoffQueue(event, old, node),
      );
    }
  }

  onDelete(deleted: Node | DeletedFinalStateUnknown<Node>): void {
    const node = deletedObject(deleted);
    this.#context.observe(eventLabel(nodeDelete), () => {
      this.#context.queue.moveAllToActiveOrBackoffQueue(nodeDelete, node, undefined);
      this.#context.cache.removeNode(node);
    });
  }
}
