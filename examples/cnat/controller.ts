/**
 * The controller of `At`: waits until the time, creates a pod with the containers, and updates the phase when the pod
 * has ended.
 */
import type { Pod } from '@coxswain/api/core/v1';
import { isAlreadyExists, isNotFound } from '@coxswain/apimachinery/errors';
import { GroupVersionKind, getControllerOf, newControllerRef } from '@coxswain/apimachinery/meta';
import {
  ClientSet,
  type Clock,
  customResource,
  type RESTClient,
  SharedInformerFactory,
  systemClock,
} from '@coxswain/client';
import { DeletedFinalStateUnknown, metaNamespaceKey, splitKey } from '@coxswain/client/informers';
import { RateLimitingQueue, type ReconcileResult, runWorkers } from '@coxswain/client/workqueue';
import { type At, type AtStatus, ats } from './at.ts';

const atKind = GroupVersionKind.of(ats.group, ats.version, ats.kind);

export async function runAtController(
  rest: RESTClient,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const clients = new ClientSet(rest);
  const atClient = customResource<At>(rest, ats);
  const factory = new SharedInformerFactory(clients, { clock });
  const { informer: atInformer, lister: atLister } = factory.forResource<At>(atClient());
  const pods = factory.core.v1.pods;
  const queue = new RateLimitingQueue<string>({ name: 'ats', clock });

  atInformer.addEventHandler({
    onAdd: (at) => queue.add(metaNamespaceKey(at)),
    onUpdate: (_, at) => queue.add(metaNamespaceKey(at)),
  });
  /** A change of a pod enqueues the At that controls it. */
  const ownerOf = (pod: Pod): void => {
    const owner = getControllerOf(pod);
    if (owner?.kind === ats.kind) queue.add(`${pod.metadata.namespace}/${owner.name}`);
  };
  pods.informer.addEventHandler({
    onAdd: ownerOf,
    onUpdate: (_, pod) => ownerOf(pod),
    onDelete: (deleted) => ownerOf(deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted),
  });

  factory.start(signal);
  await factory.waitForCacheSync(signal);
  await runWorkers(queue, { signal, onError: console.error }, async (key) => {
    const { namespace, name } = splitKey(key);
    try {
      return await reconcile(atLister.namespace(namespace).get(name));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  });
  await factory.shutdown();

  async function reconcile(at: At): Promise<ReconcileResult | undefined> {
    switch (at.status?.phase) {
      case undefined:
        return await enter(at, 'PENDING');
      case 'PENDING': {
        const inMs = Date.parse(at.spec.schedule) - clock.now();
        return inMs > 0 ? { requeueAfterMs: inMs } : await enter(at, 'RUNNING');
      }
      case 'RUNNING': {
        const pod = await podOf(at);
        if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return await enter(at, 'DONE');
        return undefined;
      }
      case 'DONE':
        return undefined;
    }
  }

  async function enter(at: At, phase: AtStatus['phase']): Promise<undefined> {
    await atClient(at.metadata.namespace!).updateStatus({ ...at, status: { ...at.status, phase } });
  }

  /** Returns the pod of the containers; creates it if there is none. */
  async function podOf(at: At): Promise<Pod> {
    const namespace = at.metadata.namespace!;
    const name = `${at.metadata.name}-pod`;
    try {
      return await clients.core.v1.pods(namespace).create({
        metadata: { name, labels: { at: at.metadata.name! }, ownerReferences: [newControllerRef(at, atKind)] },
        spec: { containers: at.spec.containers, restartPolicy: 'OnFailure' },
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return pods.lister.namespace(namespace).get(name);
    }
  }
}
