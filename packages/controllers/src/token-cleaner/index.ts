/** Deletes expired bootstrap tokens. */
import type { Secret } from '@coxswain/api/core/v1';
import { isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { isBootstrapToken, remainingMs } from './bootstrap-token.ts';

export const tokenCleanerController: ControllerDefinition = {
  name: 'token-cleaner-controller',
  aliases: ['tokencleaner'],
  isOffByDefault: true,
  create: newController,
};

function newController(context: ControllerContext): Controller {
  const { informer } = context.informers.core.v1.secrets;
  const loop = new ReconcileLoop(context, {
    name: 'token_cleaner',
    workers: 1,
    synced: [informer],
    async reconcile(key) {
      const secret = informer.indexer.getByKey(key);
      if (!secret || !isBootstrapToken(secret)) return;
      const requeueAfterMs = remainingMs(secret, context.clock.now());
      if (requeueAfterMs === undefined) return;
      if (requeueAfterMs > 0) return { requeueAfterMs };
      const { name = '', namespace = '', uid = '' } = secret.metadata;
      const secrets = context.clients.core.v1.secrets(namespace);
      await secrets.delete(name, { preconditions: { uid } }).catch((error: unknown) => {
        // The Secret is deleted, or another one has this name.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
    },
  });
  const changed = (secret: Secret): void => {
    if (isBootstrapToken(secret)) loop.add(secret);
  };
  informer.addEventHandler({ onAdd: changed, onUpdate: (_, secret) => changed(secret) });
  return loop;
}
