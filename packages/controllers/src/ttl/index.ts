/** Sets the node annotation that tells kubelets how long to cache Secrets and ConfigMaps. The time grows with the number of nodes. */
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { stepFor, ttlSecondsAt } from './ttl-steps.ts';

const annotation = 'node.alpha.kubernetes.io/ttl';

export const ttlController: ControllerDefinition = {
  name: 'ttl-controller',
  aliases: ['ttl'],
  create: newController,
};

function newController(context: ControllerContext): Controller {
  const { informer } = context.informers.core.v1.nodes;
  /** The number of nodes observed by the handler, and the resulting step. */
  let nodeCount = 0;
  let step = 0;
  const count = (change: 1 | -1): void => {
    nodeCount += change;
    step = stepFor(nodeCount, step);
  };
  const loop = new ReconcileLoop(context, {
    name: 'ttlcontroller',
    workers: 5,
    synced: [informer],
    async reconcile(name) {
      const node = informer.indexer.getByKey(name);
      const ttlSeconds = ttlSecondsAt(step);
      if (!node || isSetTo(node.metadata.annotations?.[annotation], ttlSeconds)) return;
      const patch = { metadata: { annotations: { [annotation]: String(ttlSeconds) } } };
      await context.clients.core.v1.nodes().patch(name, 'strategic-merge', patch);
    },
  });
  informer.addEventHandler({
    onAdd: (node) => {
      count(1);
      loop.add(node);
    },
    // Kubelets update their nodes often, so a new time is set with the next update of each node.
    onUpdate: (_, node) => loop.add(node),
    onDelete: () => count(-1),
  });
  return loop;
}

const isSetTo = (text: string | undefined, ttlSeconds: number): boolean =>
  text !== undefined && /^[-+]?\d+$/.test(text) && Number(text) === ttlSeconds;
