import { type Evaluator, resourceListOf } from '@coxswain/api';
import type { ResourceQuota } from '@coxswain/api/core/v1';
import { isNotFound, newInternalError } from '@coxswain/apimachinery';
import type { InternalClient, Lister } from '../../registry/lister.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { checkRequest, type QuotaRequest, type QuotaState, quotaState } from './check-request.ts';
import type { LimitedResource } from './configuration.ts';

/** Attempts to write a quota. Each failure is a conflict with another server. */
const maxAttempts = 10;
const timeoutMs = 10_000;

interface Waiting extends QuotaRequest {
  /** Without an error, the object may be stored. */
  readonly settle: (error?: unknown) => void;
  settled: boolean;
}

export interface QuotaChargerOptions {
  readonly quotas: () => Lister<ResourceQuota>;
  readonly client: Pick<InternalClient, 'get' | 'update'>;
  readonly limited: readonly LimitedResource[];
}

/**
 * Charges quotas for objects before they are stored, and rejects requests that exceed them. The charge is written to
 * the status of the quota before the object is written, so that several servers cannot exceed a quota together. The
 * charge of an object that is not stored afterwards is removed when the quota controller recalculates the usage.
 *
 * Requests in a namespace that arrive during a write are charged together with the next write.
 */
export class QuotaCharger {
  readonly #options: QuotaChargerOptions;
  /** Waiting requests by namespace. A namespace has an entry while it is being processed. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(options: QuotaChargerOptions) {
    this.#options = options;
  }

  /** Resolves when the write is charged. Rejects with the ApiError to respond with. */
  charge(attributes: AdmissionAttributes, evaluator: Evaluator): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => waiting.settle(newInternalError('resource quota evaluation timed out'));
      const timer = attributes.clock.setTimeout(giveUp, timeoutMs, { background: true });
      const waiting: Waiting = {
        attributes,
        evaluator,
        settled: false,
        settle(error) {
          timer.cancel();
          this.settled = true;
          if (error) reject(error);
          else resolve();
        },
      };
      this.#enqueue(attributes.namespace, waiting);
    });
  }

  #enqueue(namespace: string, waiting: Waiting): void {
    const queue = this.#queues.get(namespace);
    if (queue) {
      queue.push(waiting);
      return;
    }
    this.#queues.set(namespace, [waiting]);
    void this.#work(namespace);
  }

  /** Processes requests until none is waiting. */
  async #work(namespace: string): Promise<void> {
    // The lister may not have the latest writes yet.
    const written = new Map<string, ResourceQuota>();
    for (;;) {
      const batch = (this.#queues.get(namespace) ?? []).filter(({ settled }) => !settled);
      if (batch.length === 0) break;
      this.#queues.set(namespace, []);
      try {
        await this.#settle(namespace, batch, written);
      } catch (error) {
        for (const waiting of batch) if (!waiting.settled) waiting.settle(error);
      }
    }
    this.#queues.delete(namespace);
  }

  async #settle(namespace: string, batch: readonly Waiting[], written: Map<string, ResourceQuota>): Promise<void> {
    let pending = batch;
    let states = this.#quotas(namespace, written).map(quotaState);
    let { limited } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const { fitting, after } = fit(pending, states, limited);
      if (fitting.length === 0) return;
      const failures = await this.#write(states, after, written);
      if (failures.length === 0) {
        for (const waiting of fitting) waiting.settle();
        return;
      }
      const [{ error }] = failures as [Failure];
      if (attempt === maxAttempts) throw error;
      // Only failed quotas are charged again, and coverage was checked already.
      states = (await this.#reread(failures)).map(quotaState);
      pending = fitting;
      limited = [];
    }
  }

  /** The quotas of the lister, or newer ones that were written here. */
  #quotas(namespace: string, written: ReadonlyMap<string, ResourceQuota>): ResourceQuota[] {
    return this.#options
      .quotas()
      .list(namespace)
      .map((listed) => {
        const newer = written.get(listed.metadata.name ?? '');
        return newer && versionOf(newer) > versionOf(listed) && newer.metadata.uid === listed.metadata.uid
          ? newer
          : listed;
      });
  }

  /** Writes changed quotas, with optimistic concurrency. Returns those that failed. */
  async #write(
    before: readonly QuotaState[],
    after: readonly QuotaState[],
    written: Map<string, ResourceQuota>,
  ): Promise<Failure[]> {
    const failures: Failure[] = [];
    for (const [index, { quota, used }] of after.entries()) {
      if (used === before[index]?.used) continue;
      const status = { ...quota.status, used: resourceListOf(used) };
      try {
        const updated = await this.#options.client.update(
          '',
          'resourcequotas',
          { ...quota, status },
          { subresource: 'status' },
        );
        written.set(updated.metadata.name ?? '', updated);
      } catch (error) {
        failures.push({ quota, error });
      }
    }
    return failures;
  }

  /** Reads quotas from the store, without deleted ones. */
  async #reread(failures: readonly Failure[]): Promise<ResourceQuota[]> {
    const found: ResourceQuota[] = [];
    for (const { quota } of failures) {
      const { namespace = '', name = '' } = quota.metadata;
      try {
        found.push(await this.#options.client.get<ResourceQuota>('', 'resourcequotas', namespace, name));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return found;
  }
}

interface Failure {
  readonly quota: ResourceQuota;
  readonly error: unknown;
}

const versionOf = ({ metadata }: ResourceQuota): number => Number(metadata.resourceVersion ?? 0);

/** Settles requests that are rejected or free. Returns the remaining ones, and the quotas charged with them. */
function fit(
  batch: readonly Waiting[],
  before: readonly QuotaState[],
  limited: readonly LimitedResource[],
): { fitting: Waiting[]; after: readonly QuotaState[] } {
  const fitting: Waiting[] = [];
  let after = before;
  for (const waiting of batch) {
    if (waiting.settled) continue;
    try {
      const next = checkRequest(after, waiting, limited);
      if (waiting.attributes.dryRun || next.every((state, i) => state === after[i])) waiting.settle();
      else {
        after = next;
        fitting.push(waiting);
      }
    } catch (error) {
      waiting.settle(error);
    }
  }
  return { fitting, after };
}
