import { isNotFound } from '@coxswain/apimachinery/errors';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';

/** Deletes PodCertificateRequests 15 minutes after their creation. By then they have been used or are abandoned. */
export const podCertificateRequestCleanerController: ControllerDefinition = {
  name: 'podcertificaterequest-cleaner-controller',
  aliases: [],
  needs: [{ group: 'certificates.k8s.io', version: 'v1beta1', resource: 'podcertificaterequests' }],
  create: newController,
};

const minuteMs = 60_000;
const lifetimeMs = 15 * minuteMs;
const periodMs = 5 * minuteMs;

function newController(context: ControllerContext): Controller {
  const { clients, clock, logger } = context;
  const { informer } = context.informers.certificates.v1beta1.podCertificateRequests;
  const loop = new ReconcileLoop(context, {
    name: 'podcertificaterequestcleaner',
    workers: 1,
    synced: [informer],
    reconcile: async () => {
      for (const { metadata } of informer.indexer.list()) {
        const { namespace = '', name = '', uid = '', creationTimestamp = '' } = metadata;
        if (clock.now() < Date.parse(creationTimestamp) + lifetimeMs) continue;
        try {
          const requests = clients.certificates.v1beta1.podCertificateRequests(namespace);
          await requests.delete(name, { preconditions: { uid } });
        } catch (error) {
          if (!isNotFound(error))
            logger.error('Unable to delete PodCertificateRequest', error, { pcr: { namespace, name } });
        }
      }
      return { requeueAfterMs: periodMs };
    },
  });
  loop.queue.add('all');
  return loop;
}
