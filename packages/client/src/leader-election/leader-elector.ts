import { type Clock, sleep, systemClock } from '@coxswain/apimachinery/clock';
import { systemRandom } from '@coxswain/apimachinery/random';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { type Gauge, noMetrics } from '../observe/metrics.ts';
import { jitter } from '../wait/backoff.ts';
import { childSignal } from '../wait/child-signal.ts';
import {
  type ElectionTimes,
  electionTimes,
  jitterFactor,
  type LeaderCallbacks,
  type LeaderElectionOptions,
} from './leader-election-options.ts';
import { LeaseCandidacy } from './lease-candidacy.ts';
import type { LeaseLock } from './lease-lock.ts';

/**
 * A candidate in a leader election.
 *
 * As long as clocks run at about the same speed (they may show different times), no two candidates lead at the same
 * time: a leader that could not renew its lease for `renewDeadlineMs` stops, and others take over only when they have
 * seen no change for the longer `leaseDurationMs`. In a process that was suspended, the signal is aborted soon after it
 * resumes, and `isLeader` is false at once.
 *
 * Differs from client-go: the deadline is measured from the last successful renewal, not from the first failure; the
 * lease is kept until the leader's work has ended, and released only then. Coordinated leader election
 * (LeaseCandidates) is not supported.
 */
export class LeaderElector {
  readonly #lock: LeaseLock;
  readonly #callbacks: LeaderCallbacks;
  readonly #times: ElectionTimes;
  readonly #releaseOnCancel: boolean;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #logger: Logger;
  readonly #status: Gauge;
  readonly #candidacy: LeaseCandidacy;
  /** The signal of the leader's work; undefined when there is none. */
  #leading: AbortSignal | undefined;
  #reportedLeader = '';
  #isRunning = false;

  /** Throws an Error when the durations are inconsistent. */
  constructor(options: LeaderElectionOptions) {
    this.#times = electionTimes(options);
    this.#lock = options.lock;
    this.#callbacks = options.callbacks;
    this.#releaseOnCancel = options.releaseOnCancel ?? false;
    this.#name = options.name ?? options.lock.name;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom.number;
    this.#logger = (options.logger ?? silentLogger).named('leaderelection');
    const metrics = options.metrics ?? noMetrics;
    this.#status = metrics.gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads (1) or stands by (0). Group by name, which identifies the lease.',
      labels: ['name'],
    });
    const slowpath = metrics.counter({
      name: 'leader_election_slowpath_total',
      help: 'Number of renewals that had to read the lease first.',
      labels: ['name'],
    });
    this.#candidacy = new LeaseCandidacy({
      lock: this.#lock,
      times: this.#times,
      clock: this.#clock,
      logger: this.#logger,
      name: this.#name,
      slowpath,
    });
    this.#status.set(0, this.#name);
  }

  /** The last observed leader; empty when there is none or it is not known yet. For information only. */
  get leader(): string {
    return this.#candidacy.leader;
  }

  /** Whether this candidate may currently act as the leader. */
  get isLeader(): boolean {
    return this.#leading?.aborted === false && this.#clock.monotonic() < this.#leadsUntil;
  }

  /**
   * Waits to become the leader, then leads. Resolves when leadership is lost or the signal is aborted, and the leader's
   * work has ended. Rejects only with an error of `onStartedLeading`. May be called again afterwards.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#isRunning) throw new Error('the leader election is running already');
    this.#isRunning = true;
    const stopped = once(() => void this.#call('onStoppedLeading', () => this.#callbacks.onStoppedLeading?.()));
    try {
      if (await this.#acquire(signal)) await this.#lead(signal, stopped);
    } finally {
      this.#isRunning = false;
      stopped();
    }
  }

  /**
   * For health checks: returns an error when the lease expired more than `toleranceMs` ago but this candidate has not
   * stopped leading. Returns undefined otherwise.
   */
  check(toleranceMs: number): Error | undefined {
    if (!this.#isRunning || !this.#candidacy.isHolder) return undefined;
    const age = this.#clock.monotonic() - this.#candidacy.observedAt;
    if (age <= this.#times.leaseDurationMs + toleranceMs) return undefined;
    return new Error(`failed election to renew leadership on lease ${this.#name}`);
  }

  /** Earlier than others may take the lease, because `renewDeadlineMs` is less than `leaseDurationMs`. */
  get #leadsUntil(): number {
    return this.#candidacy.renewedAt + this.#times.renewDeadlineMs;
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    this.#logger.info('Attempting to acquire leader lease...', { lock: this.#lock.describe() });
    while (!signal.aborted) {
      const isOurs = await this.#candidacy.tryAcquire(signal);
      this.#reportTransition();
      if (isOurs && !signal.aborted) return true;
      await this.#pause(jitter(this.#times.retryPeriodMs, jitterFactor, this.#random), signal);
    }
    if (this.#releaseOnCancel) await this.#candidacy.release();
    return false;
  }

  async #lead(signal: AbortSignal, stopped: () => void): Promise<void> {
    this.#status.set(1, this.#name);
    this.#lock.recordEvent('became leader');
    this.#logger.info('Successfully acquired lease', { lock: this.#lock.describe() });

    /** Aborted when the work must stop. */
    const leading = childSignal({ parent: signal });
    /** Aborted when renewal must stop: when the lease is lost, or the work has ended after cancellation. */
    const term = new AbortController();
    const lose = (why: string): void => {
      this.#logger.info('Failed to renew lease', { lock: this.#lock.describe(), err: why });
      leading.abort(new Error(`leadership of ${this.#lock.describe()} was lost: ${why}`));
      term.abort();
      stopped();
    };
    this.#leading = leading.signal;
    const work = this.#work(leading.signal).then((failure) => {
      if (failure) leading.abort(failure.error);
      whenAborted(leading.signal, () => term.abort());
      return failure;
    });

    await this.#renew(term.signal, lose);
    this.#status.set(0, this.#name);
    this.#lock.recordEvent('stopped leading');
    const failure = await work;
    leading.dispose();
    this.#leading = undefined;
    if (this.#releaseOnCancel) await this.#candidacy.release();
    this.#reportTransition();
    if (failure) throw failure.error;
  }

  async #work(signal: AbortSignal): Promise<{ readonly error: unknown } | undefined> {
    try {
      await this.#callbacks.onStartedLeading(signal);
      return undefined;
    } catch (error) {
      // An error after cancellation is not a failure.
      return signal.aborted ? undefined : { error };
    }
  }

  /**
   * Renews the lease until `term` is aborted. Calls `lose` when the deadline passes or another candidate holds the
   * lease.
   */
  async #renew(term: AbortSignal, lose: (why: string) => void): Promise<void> {
    const onDeadline = (): void => lose('the renew deadline has passed');
    while (!term.aborted) {
      // A timer, so that a hanging request does not delay it.
      const deadline = this.#clock.setTimeout(onDeadline, this.#leadsUntil - this.#clock.monotonic());
      await this.#pause(this.#times.retryPeriodMs, term);
      const renewed = !term.aborted && (await this.#candidacy.tryRenew(term));
      deadline.cancel();
      if (term.aborted) return;
      this.#reportTransition();
      if (!renewed && !this.#candidacy.isHolder) lose(`it is held by ${this.leader || 'nobody'}`);
    }
  }

  #reportTransition(): void {
    if (this.leader === this.#reportedLeader) return;
    this.#reportedLeader = this.leader;
    void this.#call('onNewLeader', () => this.#callbacks.onNewLeader?.(this.#reportedLeader));
  }

  /** These callbacks are not awaited, so their errors are logged here. */
  async #call(name: string, callback: () => unknown): Promise<void> {
    try {
      await callback();
    } catch (error) {
      this.#logger.error('A callback of the leader election failed', error, { callback: name });
    }
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    await sleep(this.#clock, delayMs, signal).catch(() => undefined);
  }
}

function whenAborted(signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
}

function once(callback: () => void): () => void {
  let isCalled = false;
  return () => {
    if (isCalled) return;
    isCalled = true;
    callback();
  };
}
