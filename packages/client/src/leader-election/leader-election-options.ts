import type { Clock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Metrics } from '../observe/metrics.ts';
import type { LeaseLock } from './lease-lock.ts';

/** Callbacks of the election. All may be async. Their errors are logged, except that of `onStartedLeading`. */
export interface LeaderCallbacks {
  /**
   * Does the leader's work. The signal is aborted when leadership is lost or the election is cancelled; after that it
   * must not act as the leader. The returned promise represents the work: the lease is kept until it settles, and
   * released only then. If it rejects, leadership ends and `run` rejects with the same error.
   */
  onStartedLeading(signal: AbortSignal): unknown;
  /** Called when this candidate's election has ended, even if it never led. After a loss it is called at once. */
  onStoppedLeading?(): unknown;
  /**
   * Called when another leader is observed, including the first one and this candidate itself. The identity is empty
   * when the lease was released.
   */
  onNewLeader?(identity: string): unknown;
}

export interface LeaderElectionOptions {
  readonly lock: LeaseLock;
  readonly callbacks: LeaderCallbacks;
  /** How long other candidates wait after the last renewal before they take over. 15 s by default. */
  readonly leaseDurationMs?: number;
  /** How long the leader continues after its last successful renewal. 10 s by default. */
  readonly renewDeadlineMs?: number;
  /** Interval between attempts. 2 s by default. */
  readonly retryPeriodMs?: number;
  /**
   * Whether to release the lease when the election is cancelled, so that another candidate need not wait for its
   * expiry.
   */
  readonly releaseOnCancel?: boolean;
  /** Name of the election in metrics and health checks. The lease's name by default. */
  readonly name?: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Candidates wait up to this many retry periods longer between attempts. */
export const jitterFactor = 1.2;

/** The durations on which the safety of the election depends. */
export interface ElectionTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** Returns the durations with their defaults. Throws an Error when they are inconsistent or the identity is empty. */
export function electionTimes({
  lock,
  leaseDurationMs = 15_000,
  renewDeadlineMs = 10_000,
  retryPeriodMs = 2_000,
}: LeaderElectionOptions): ElectionTimes {
  const rules: readonly (readonly [holds: boolean, message: string])[] = [
    [leaseDurationMs > renewDeadlineMs, 'leaseDuration must be greater than renewDeadline'],
    [renewDeadlineMs > jitterFactor * retryPeriodMs, 'renewDeadline must be greater than retryPeriod*JitterFactor'],
    [leaseDurationMs > 0, 'leaseDuration must be greater than zero'],
    [renewDeadlineMs > 0, 'renewDeadline must be greater than zero'],
    [retryPeriodMs > 0, 'retryPeriod must be greater than zero'],
    [lock.identity !== '', 'Lock identity is empty'],
  ];
  for (const [holds, message] of rules) if (!holds) throw new Error(message);
  return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}
