import type { Lease } from '@coxswain/api/coordination/v1';
import { isConflict, isNotFound } from '@coxswain/apimachinery/errors';
import type { OwnerReference } from '@coxswain/apimachinery/meta';
import { microTimeFromDate } from '@coxswain/apimachinery/time';
import { type ClientSet, type Clock, type Logger, sleep } from '@coxswain/client';

export interface NodeLeaseOptions {
  readonly nodeName: string;
  readonly clients: ClientSet;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  /** Returns the uid of the Node; undefined before it is registered. */
  readonly nodeUid: () => string | undefined;
  readonly leaseDurationSeconds: number;
}

/** How much of its duration passes before a lease is renewed. */
const renewalShare = 0.25;
const renewJitter = 0.04;
const firstRetryMs = 200;
const longestRetryMs = 7000;

/** The heartbeat of a node: a lease of its name that is renewed four times in its duration. */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  /** The Lease as last written. Its resourceVersion is the precondition of the next write. */
  #lease: Lease | undefined;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
  }

  /** Renews until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, logger, nodeName, leaseDurationSeconds } = this.#options;
    const renewEveryMs = leaseDurationSeconds * 1000 * renewalShare;
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      let waitMs = renewEveryMs * (1 + random() * renewJitter);
      try {
        await this.#renew(signal);
        retryMs = firstRetryMs;
      } catch (error) {
        if (signal.aborted) return;
        logger.error('Failed to update lease', error, { node: nodeName });
        waitMs = retryMs;
        retryMs = Math.min(retryMs * 2, longestRetryMs);
      }
      await sleep(clock, waitMs, signal).catch(() => {});
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { clients, nodeName } = this.#options;
    const leases = clients.coordination.v1.leases('kube-node-lease');
    if (this.#lease) {
      try {
        this.#lease = await leases.update(this.#renewed(this.#lease), { signal });
        return;
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
        this.#lease = undefined;
      }
    }
    try {
      this.#lease = await leases.update(this.#renewed(await leases.get(nodeName, { signal })), { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const lease = { metadata: { name: nodeName, namespace: 'kube-node-lease' } };
      this.#lease = await leases.create(this.#renewed(lease), { signal });
    }
  }

  #renewed(lease: Lease): Lease {
    const { nodeName, clock, leaseDurationSeconds } = this.#options;
    return {
      ...lease,
      metadata: { ...lease.metadata, ...this.#owner(lease.metadata.ownerReferences) },
      spec: {
        ...lease.spec,
        holderIdentity: nodeName,
        leaseDurationSeconds,
        renewTime: microTimeFromDate(new Date(clock.now())),
      },
    };
  }

  /** Makes the Node the owner, so that the Lease is deleted with it. */
  #owner(known: readonly OwnerReference[] | undefined): { ownerReferences?: OwnerReference[] } {
    const { nodeName, nodeUid } = this.#options;
    const uid = nodeUid();
    if (uid === undefined || known?.some((owner) => owner.uid === uid)) return {};
    return { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid }] };
  }
}
