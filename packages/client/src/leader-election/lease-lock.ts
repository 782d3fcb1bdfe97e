import type { Lease, LeaseSpec } from '@coxswain/api/coordination/v1';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { ResourceInterface } from '../rest/resource-interface.ts';

/** The content of the lease. Its times are informational: clocks of different machines cannot be compared. */
export interface LeaderElectionRecord {
  /** Empty when there is no leader. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  readonly leaderTransitions: number;
}

export interface LeaseLockOptions {
  /** The client for the leases of the namespace, for example `clients.coordination.v1.leases('kube-system')`. */
  readonly leases: Pick<ResourceInterface<Lease>, 'get' | 'create' | 'update' | 'namespace'>;
  readonly name: string;
  /** Unique among all candidates, including past ones; usually the host name and a random part. */
  readonly identity: string;
  /** Set on the lease with every write. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Records events for changes of the leader. */
  readonly recorder?: Pick<EventRecorder, 'event'>;
}

/** A Lease as a lock: reads and writes the record, and never overwrites changes of others. */
export class LeaseLock {
  readonly identity: string;
  readonly name: string;
  readonly #options: LeaseLockOptions;
  /** The lease as last read or written; its resourceVersion guards the next write. */
  #lease: Lease | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.identity = options.identity;
    this.name = options.name;
  }

  /** Namespace and name. */
  describe(): string {
    return `${this.#options.leases.namespace ?? ''}/${this.name}`;
  }

  /** Rejects like the client, with NotFound when the lease does not exist. */
  async get(signal: AbortSignal): Promise<LeaderElectionRecord> {
    this.#lease = await this.#options.leases.get(this.name, { signal });
    return recordOf(this.#lease.spec ?? {});
  }

  async create(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    const { leases, labels } = this.#options;
    const metadata = { name: this.name, ...(labels && { labels: { ...labels } }) };
    this.#lease = await leases.create({ metadata, spec: specOf(record) }, { signal });
  }

  /** Rejects with a conflict when the lease was changed since it was last read or written here. */
  async update(record: LeaderElectionRecord, signal: AbortSignal): Promise<void> {
    const { leases, labels } = this.#options;
    if (!this.#lease) throw new Error('lease not initialized, call get or create first');
    const { metadata } = this.#lease;
    const labelled = labels ? { ...metadata, labels: { ...metadata.labels, ...labels } } : metadata;
    this.#lease = await leases.update({ ...this.#lease, metadata: labelled, spec: specOf(record) }, { signal });
  }

  /** Records an event about the lease: `<identity> became leader`. */
  recordEvent(what: string): void {
    if (!this.#lease) return;
    const lease = { ...this.#lease, kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' };
    this.#options.recorder?.event(lease, 'Normal', 'LeaderElection', `${this.identity} ${what}`);
  }
}

const recordOf = (spec: LeaseSpec): LeaderElectionRecord => ({
  holderIdentity: spec.holderIdentity ?? '',
  leaseDurationSeconds: spec.leaseDurationSeconds ?? 0,
  acquireTime: spec.acquireTime,
  renewTime: spec.renewTime,
  leaderTransitions: spec.leaseTransitions ?? 0,
});

const specOf = (record: LeaderElectionRecord): LeaseSpec => ({
  holderIdentity: record.holderIdentity,
  leaseDurationSeconds: record.leaseDurationSeconds,
  ...(record.acquireTime !== undefined && { acquireTime: record.acquireTime }),
  ...(record.renewTime !== undefined && { renewTime: record.renewTime }),
  leaseTransitions: record.leaderTransitions,
});
