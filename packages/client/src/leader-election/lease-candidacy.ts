import type { Clock } from '@coxswain/apimachinery/clock';
import { asApiError, isNotFound } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import { microTimeFromDate } from '@coxswain/apimachinery/time';
import type { Counter } from '../observe/metrics.ts';
import { retryOnConflict } from '../retry/retry-on-conflict.ts';
import { childSignal } from '../wait/child-signal.ts';
import type { ElectionTimes } from './leader-election-options.ts';
import type { LeaderElectionRecord, LeaseLock } from './lease-lock.ts';

export interface LeaseCandidacyOptions {
  readonly lock: LeaseLock;
  readonly times: ElectionTimes;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly name: string;
  readonly slowpath: Counter;
}

/**
 * One candidate's view of the lease, with the operations to acquire, renew and release it.
 *
 * Clocks of other machines are not trusted: the expiry of another's lease is measured from when this candidate last saw
 * it change. Our own lease is valid from when the last successful write was sent, because others may have seen it from
 * then on.
 */
export class LeaseCandidacy {
  readonly #options: LeaseCandidacyOptions;
  #record: LeaderElectionRecord | undefined;
  /** When `#record` was first observed, in monotonic time. */
  #observedAt = Number.NEGATIVE_INFINITY;
  /** When the last successful write was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** The outcome of the last write is unknown: the lease may be ours. */
  #isUncertain = false;

  constructor(options: LeaseCandidacyOptions) {
    this.#options = options;
  }

  /** The last observed holder. */
  get leader(): string {
    return this.#record?.holderIdentity ?? '';
  }

  get isHolder(): boolean {
    return this.leader === this.#options.lock.identity;
  }

  get observedAt(): number {
    return this.#observedAt;
  }

  get renewedAt(): number {
    return this.#renewedAt;
  }

  /** Acquires the lease if it is free or expired. Returns whether we hold it; never throws. */
  async tryAcquire(signal: AbortSignal): Promise<boolean> {
    const old = await this.#read(signal);
    if (old === 'failed') return false;
    if (old === 'absent') return this.#write('create', this.#ownRecord(), signal);
    if (this.isHolder) return this.#renewSlowly(old, signal);
    if (old.holderIdentity !== '' && !this.#hasRunOut()) return false;
    return this.#write('update', this.#ownRecord({ leaderTransitions: old.leaderTransitions + 1 }), signal);
  }

  /** Renews the lease. Returns false when that failed; then `isHolder` tells whether we are still the holder. */
  async tryRenew(signal: AbortSignal): Promise<boolean> {
    const { lock } = this.#options;
    if (this.#record && (await this.#write('update', this.#ownRecord(this.#record), signal))) return true;
    if (signal.aborted) return false;
    const old = await this.#read(signal);
    if (old === 'failed') return false;
    if (old === 'absent') return this.#write('create', this.#ownRecord(this.#record), signal);
    // Differs from client-go: a lease whose holder was cleared was taken away on purpose, so it is not renewed.
    return old.holderIdentity === lock.identity && this.#renewSlowly(old, signal);
  }

  /** Releases the lease if we hold it; never throws. The leader's work must have ended. */
  async release(): Promise<void> {
    if (!this.isHolder && !this.#isUncertain) return;
    const { lock, clock, times, logger } = this.#options;
    const { signal, dispose } = childSignal({ timeoutMs: times.renewDeadlineMs, clock });
    try {
      // An aborted renewal may still arrive and cause a conflict.
      await retryOnConflict(() => this.#clear(signal), { clock, signal });
    } catch (error) {
      logger.error('Failed to release lease', error, { lock: lock.describe() });
    } finally {
      dispose();
    }
  }

  async #clear(signal: AbortSignal): Promise<void> {
    const { lock } = this.#options;
    const { holderIdentity, leaderTransitions } = await lock.get(signal);
    if (holderIdentity !== lock.identity) return;
    const now = this.#now();
    const record = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaderTransitions };
    await lock.update(record, signal);
    this.#observe(record);
  }

  #renewSlowly(old: LeaderElectionRecord, signal: AbortSignal): Promise<boolean> {
    this.#options.slowpath.add(1, this.#options.name);
    return this.#write('update', this.#ownRecord(old), signal);
  }

  /** A record with us as the holder, and the acquire time and transitions of an earlier record. */
  #ownRecord(old: Partial<LeaderElectionRecord> = {}): LeaderElectionRecord {
    const { lock, times } = this.#options;
    const now = this.#now();
    return {
      holderIdentity: lock.identity,
      // Differs from client-go: rounded up to whole seconds. If it were rounded down, others would take over too early.
      leaseDurationSeconds: Math.ceil(times.leaseDurationMs / 1000),
      acquireTime: old.acquireTime ?? now,
      renewTime: now,
      leaderTransitions: old.leaderTransitions ?? 0,
    };
  }

  async #read(parent: AbortSignal): Promise<LeaderElectionRecord | 'absent' | 'failed'> {
    const { lock, logger } = this.#options;
    try {
      const record = await this.#inTime(parent, (signal) => lock.get(signal));
      if (!isSame(record, this.#record)) this.#observe(record);
      return record;
    } catch (error) {
      if (isNotFound(error)) return 'absent';
      if (!parent.aborted) logger.error('Error retrieving lease lock', error, { lock: lock.describe() });
      return 'failed';
    }
  }

  async #write(verb: 'create' | 'update', record: LeaderElectionRecord, parent: AbortSignal): Promise<boolean> {
    const { lock, logger, clock } = this.#options;
    const sentAt = clock.monotonic();
    try {
      await this.#inTime(parent, (signal) => lock[verb](record, signal));
      this.#isUncertain = false;
      this.#observe(record);
      this.#renewedAt = sentAt;
      return true;
    } catch (error) {
      const code = asApiError(error)?.code;
      this.#isUncertain = code === undefined || code >= 500;
      if (!parent.aborted) logger.info(`Failed to ${verb} lease`, { lock: lock.describe(), err: error });
      return false;
    }
  }

  /** Limits each request to half the renew deadline, so that after a hanging request there is time for another. */
  async #inTime<T>(parent: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, times } = this.#options;
    const { signal, dispose } = childSignal({ parent, timeoutMs: Math.max(1000, times.renewDeadlineMs / 2), clock });
    try {
      return await call(signal);
    } finally {
      dispose();
    }
  }

  #observe(record: LeaderElectionRecord): void {
    this.#record = record;
    this.#observedAt = this.#options.clock.monotonic();
  }

  #hasRunOut(): boolean {
    const durationMs = (this.#record?.leaseDurationSeconds ?? 0) * 1000;
    return this.#observedAt + durationMs <= this.#options.clock.monotonic();
  }

  #now(): string {
    return microTimeFromDate(new Date(this.#options.clock.now()));
  }
}

function isSame(a: LeaderElectionRecord, b: LeaderElectionRecord | undefined): boolean {
  return (
    a.holderIdentity === b?.holderIdentity &&
    a.leaseDurationSeconds === b.leaseDurationSeconds &&
    a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime &&
    a.leaderTransitions === b.leaderTransitions
  );
}
