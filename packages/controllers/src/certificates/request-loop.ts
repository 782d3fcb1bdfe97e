import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import { BucketRateLimiter, ItemExponentialFailureRateLimiter, MaxOfRateLimiter } from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';

/** Returns a controller that calls `handle` for every request without a certificate, when it is added or updated. */
export function requestLoop(
  context: ControllerContext,
  name: string,
  handle: (request: CertificateSigningRequest) => Promise<void>,
): Controller {
  const { informer } = context.informers.certificates.v1.certificateSigningRequests;
  const loop = new ReconcileLoop(context, {
    name,
    synced: [informer],
    rateLimiter: new MaxOfRateLimiter(
      new ItemExponentialFailureRateLimiter(200, 1_000_000),
      new BucketRateLimiter(10, 100, context.clock),
    ),
    reconcile: async (key) => {
      const request = informer.indexer.getByKey(key);
      if (request && !request.status?.certificate) await handle(request);
    },
  });
  informer.addEventHandler({ onAdd: (request) => loop.add(request), onUpdate: (_, request) => loop.add(request) });
  return loop;
}

/** Whether the request has a condition of this type, with any status. */
export const hasCondition = ({ status }: CertificateSigningRequest, type: 'Approved' | 'Denied' | 'Failed'): boolean =>
  status?.conditions?.some((condition) => condition.type === type) ?? false;
