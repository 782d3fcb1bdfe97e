import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import { decodeBase64 } from '@coxswain/apimachinery/schema';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';

/** Deletes old CertificateSigningRequests once an hour. */
export const csrCleanerController: ControllerDefinition = {
  name: 'certificatesigningrequest-cleaner-controller',
  aliases: ['csrcleaner'],
  create: newController,
};

const hourMs = 60 * 60 * 1000;
/** The ages after which decided and pending requests are deleted. */
const decidedMs = hourMs;
const pendingMs = 24 * hourMs;

function newController(context: ControllerContext): Controller {
  const { clients, clock, logger } = context;
  const { informer } = context.informers.certificates.v1.certificateSigningRequests;
  const requests = clients.certificates.v1.certificateSigningRequests();
  const loop = new ReconcileLoop(context, {
    name: 'csrcleaner',
    workers: 1,
    synced: [informer],
    reconcile: async () => {
      for (const request of informer.indexer.list()) {
        if (!isStale(request, clock.now())) continue;
        const { name = '' } = request.metadata;
        await requests
          .delete(name)
          .catch((error: unknown) => logger.error('Unable to delete CSR', error, { csr: name }));
      }
      return { requeueAfterMs: hourMs };
    },
  });
  loop.queue.add('all');
  return loop;
}

/** Whether the request is old enough to be deleted. `now` is in milliseconds. */
export function isStale({ metadata, status }: CertificateSigningRequest, now: number): boolean {
  const { certificate } = status ?? {};
  const conditions = status?.conditions ?? [];
  const isOlder = (time: string | undefined, ageMs: number): boolean =>
    time !== undefined && now - Date.parse(time) > ageMs;
  if (conditions.length === 0) return isOlder(metadata.creationTimestamp, pendingMs);
  return conditions.some(({ type, lastUpdateTime }) => {
    if (type === 'Denied' || type === 'Failed') return isOlder(lastUpdateTime, decidedMs);
    if (type !== 'Approved') return false;
    if (!certificate) return isOlder(lastUpdateTime, pendingMs);
    return isOlder(lastUpdateTime, decidedMs) || isExpired(certificate, now);
  });
}

/** Whether the first certificate has expired. False when it cannot be parsed. */
function isExpired(certificate: string, now: number): boolean {
  try {
    return now > Date.parse(new X509Certificate(decodeBase64(certificate)).validTo);
  } catch {
    return false;
  }
}
