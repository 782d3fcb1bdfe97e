import { type Evaluator, resourceListOf } from '@coxswain/api';
import type { ResourceQuota } from '@coxswain/api/core/v1';
import { isNotFound, newInternalError } from '@coxswain/apimachinery';
import type { InternalClient, Lister } from '../../registry/lister.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { checkRequest, type QuotaRequest, type QuotaState, quotaState } from './check-request.ts';
import type { LimitedResource } from './configuration.ts';

/** Each failure means that another server was faster: with so many in a row it is not worth the client's time. */
const maxAttempts = 10;
const timeoutMs = 10_000;

interface Waiting extends QuotaRequest {
  /** Without an error: it may be stored. */
  readonly settle: (error?: unknown) => void;
  settled: boolean;
}

export interface QuotaChargerOptions {
  readonly quotas: () => Lister<ResourceQuota>;
  readonly client: Pick<InternalClient, 'get' | 'update'>;
  readonly limited: readonly LimitedResource[];
}

/**
 * Charges quotas for what is about to be stored, and refuses what does not fit. A charge is written into the quota's
 * status before the object is: however many servers there are, no two of them give away the same rest. What is charged
 * for an object that is never stored comes back when a controller counts again.
 *
 * Requests of a namespace that come while a quota is being written are taken together: one more write for all of them.
 */
export class QuotaCharger {
  readonly #options: QuotaChargerOptions;
  /** By namespace: who is next, while somebody is at work there. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(options: QuotaChargerOptions) {
    this.#options = options;
  }

  /** Resolves when the write is paid for. Rejects with the ApiError that tells why it may not be. */
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

  /** Until nobody waits any more. */
  async #work(namespace: string): Promise<void> {
    // What was just written may not have come to the lister yet.
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
      // Other quotas have been charged; and whether everything is covered is known.
      states = (await this.#reread(failures)).map(quotaState);
      pending = fitting;
      limited = [];
    }
  }

  /** As the lister has them, or as they were written since. */
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

  /** Writes those that changed, each on the condition that nobody else did. Gives those that could not be written. */
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

  /** From the store. What was deleted meanwhile limits nothing. */
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

/** Answers those that are to be refused, or cost nothing; gives those that must be paid for, and the quotas with them. */
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
