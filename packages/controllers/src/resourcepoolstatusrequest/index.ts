/** Answers ResourcePoolStatusRequests once each, and deletes old ones. */
import type { ResourcePoolStatusRequest } from '@coxswain/api/resource/v1alpha3';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { waitForCacheSync } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { PeriodicTask } from '../framework/controller/periodic-task.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { requestStatus } from './pool-status.ts';

export const resourcePoolStatusRequestController: ControllerDefinition = {
  name: 'resourcepoolstatusrequest-controller',
  aliases: [],
  needs: [{ group: 'resource.k8s.io', version: 'v1alpha3', resource: 'resourcepoolstatusrequests' }],
  create: newController,
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const cleanupPeriodMs = 10 * minuteMs;
const answeredLifetimeMs = hourMs;
const pendingLifetimeMs = 24 * hourMs;

function newController(context: ControllerContext): Controller {
  const { informer } = context.informers.resource.v1alpha3.resourcePoolStatusRequests;
  const { resourceSlices, resourceClaims } = context.informers.resource.v1;
  const requests = context.clients.resource.v1alpha3.resourcePoolStatusRequests();
  const { clock, logger } = context;
  const loop = new ReconcileLoop(context, {
    name: 'resourcepoolstatusrequest',
    workers: 1,
    synced: [informer, resourceSlices.informer, resourceClaims.informer],
    // The retries give the driver time to publish missing slices. After that the request stays unanswered.
    maxRetries: 5,
    reconcile: async (name) => {
      const request = informer.indexer.getByKey(name);
      if (!request || request.status) return;
      const [slices, claims] = [resourceSlices.informer.indexer.list(), resourceClaims.informer.indexer.list()];
      const status = requestStatus(request.spec, slices, claims, clock.now());
      if (status.pools?.some(({ validationError }) => validationError !== undefined)) {
        throw new Error('incomplete pools detected, requeueing');
      }
      await requests.updateStatus({ ...request, status });
    },
  });
  const enqueue = (request: ResourcePoolStatusRequest): void => {
    if (!request.status) loop.add(request);
  };
  informer.addEventHandler({ onAdd: enqueue, onUpdate: (_, request) => enqueue(request) });

  const cleanup = new PeriodicTask(context, 'cleanup of ResourcePoolStatusRequests', cleanupPeriodMs, async () => {
    for (const request of informer.indexer.list()) {
      const { name = '', uid = '' } = request.metadata;
      if (!isExpired(request, clock.now())) continue;
      await requests.delete(name, { preconditions: { uid } }).catch((error: unknown) => {
        if (!isNotFound(error)) logger.error('Unable to delete ResourcePoolStatusRequest', error, { request: name });
      });
    }
  });
  return {
    async run(signal) {
      await waitForCacheSync(signal, informer).catch(() => {});
      await Promise.all([loop.run(signal), cleanup.run(signal)]);
    },
  };
}

/** Whether the request was answered an hour ago, or created a day ago without an answer. `now` is in milliseconds. */
function isExpired({ metadata, status }: ResourcePoolStatusRequest, now: number): boolean {
  const answer = status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
  const since = answer?.lastTransitionTime ?? metadata.creationTimestamp ?? '';
  return now - Date.parse(since) > (status ? answeredLifetimeMs : pendingLifetimeMs);
}
