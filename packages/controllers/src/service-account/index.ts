/** Creates the `default` ServiceAccount in every namespace. */

import { hasStatusCause, isAlreadyExists } from '@coxswain/apimachinery/errors';
import { deletedObject } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';

export const serviceAccountController: ControllerDefinition = {
  name: 'serviceaccount-controller',
  aliases: ['serviceaccount'],
  create: newController,
};

const accountName = 'default';

function newController(context: ControllerContext): Controller {
  const accounts = context.informers.core.v1.serviceAccounts.informer;
  const namespaces = context.informers.core.v1.namespaces.informer;
  const loop = new ReconcileLoop(context, {
    name: 'serviceaccount',
    workers: 1,
    synced: [accounts, namespaces],
    async reconcile(namespace) {
      if (namespaces.indexer.getByKey(namespace)?.status?.phase !== 'Active') return;
      if (accounts.indexer.getByKey(`${namespace}/${accountName}`)) return;
      const account = { metadata: { name: accountName, namespace } };
      try {
        await context.clients.core.v1.serviceAccounts(namespace).create(account);
      } catch (error) {
        // The account was created by another client, or the namespace is being deleted.
        if (!isAlreadyExists(error) && !hasStatusCause(error, 'NamespaceTerminating')) throw error;
      }
    },
  });
  accounts.addEventHandler({
    onDelete: (deleted) => loop.queue.add(deletedObject(deleted).metadata.namespace ?? ''),
  });
  namespaces.addEventHandler({
    onAdd: (namespace) => loop.add(namespace),
    onUpdate: (_, namespace) => loop.add(namespace),
  });
  return loop;
}
