/**
 * A controller in one page: every Deployment carries the `team` label of its namespace.
 *
 * Informers keep caches and report changes; the queue holds each changed object once, however many changes were
 * reported; the reconcile function compares the actual state with the desired one, and acts. It is level-triggered: it
 * only uses the current state, not the events.
 */
import type { Deployment } from '@coxswain/api/apps/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { type ClientSet, SharedInformerFactory } from '@coxswain/client';
import { deletionHandlingKey, metaNamespaceKey, splitKey } from '@coxswain/client/informers';
import { retryOnConflict } from '@coxswain/client/retry';
import { RateLimitingQueue, runWorkers } from '@coxswain/client/workqueue';

export async function runController(clients: ClientSet, signal: AbortSignal): Promise<void> {
  const factory = new SharedInformerFactory(clients);
  const deployments = factory.apps.v1.deployments;
  const namespaces = factory.core.v1.namespaces;
  const queue = new RateLimitingQueue<string>({ name: 'team-labels' });

  deployments.informer.addEventHandler({
    onAdd: (deployment) => queue.add(metaNamespaceKey(deployment)),
    onUpdate: (_, deployment) => queue.add(metaNamespaceKey(deployment)),
    onDelete: (deleted) => queue.forget(deletionHandlingKey(deleted)),
  });
  namespaces.informer.addEventHandler({
    onUpdate(old, { metadata }) {
      if (old.metadata.labels?.team === metadata.labels?.team) return;
      for (const deployment of deployments.lister.namespace(metadata.name!).list())
        queue.add(metaNamespaceKey(deployment));
    },
  });

  /**
   * Updates the server's current object instead of the cached one, because another client may have changed it
   * meanwhile.
   */
  async function label(namespace: string, name: string, team: string): Promise<Deployment> {
    const client = clients.apps.v1.deployments(namespace);
    return await retryOnConflict(async () => {
      const deployment = await client.get(name, { signal });
      const { metadata } = deployment;
      return await client.update({ ...deployment, metadata: { ...metadata, labels: { ...metadata.labels, team } } });
    });
  }

  factory.start(signal);
  await factory.waitForCacheSync(signal);
  await runWorkers(queue, { workers: 2, signal, onError: console.error }, async (key) => {
    const { namespace, name } = splitKey(key);
    try {
      const { team } = namespaces.lister.get(namespace).metadata.labels ?? {};
      const deployment = deployments.lister.namespace(namespace).get(name);
      if (team !== undefined && deployment.metadata.labels?.team !== team) await label(namespace, name, team);
    } catch (error) {
      // The object was deleted meanwhile, so there is nothing to do.
      if (!isNotFound(error)) throw error;
    }
  });
  await factory.shutdown();
}
