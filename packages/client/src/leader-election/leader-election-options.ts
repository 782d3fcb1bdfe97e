import type { Clock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import type { Metrics } from '../observe/metrics.ts';
import type { LeaseLock } from './lease-lock.ts';

/** What is done with leadership. All may be async; what they fail with is logged, but for the failure of the work itself. */
export interface LeaderCallbacks {
  /**
   * Does the leader's work. The signal is aborted when leadership is lost or the election is cancelled; from then on
   * nothing may be done in the leader's name. A promise stands for the work: leadership is given up, or let go, only after
   * it has settled. If it rejects, leadership ends and `run` rejects with the same.
   */
  onStartedLeading(signal: AbortSignal): unknown;
  /** The election is over for this candidate, whether it has ever led or not. After a loss it is called at once. */
  onStoppedLeading?(): unknown;
  /** Another leader was seen, the first one included; may be this candidate. Empty when it was given up. */
  onNewLeader?(identity: string): unknown;
}

export interface LeaderElectionOptions {
  readonly lock: LeaseLock;
  readonly callbacks: LeaderCallbacks;
  /** How long others wait without a sign of the leader until they take over. 15 s by default. */
  readonly leaseDurationMs?: number;
  /** How long the leader goes on without a renewal that went well. 10 s by default. */
  readonly renewDeadlineMs?: number;
  /** How long between tries. 2 s by default. */
  readonly retryPeriodMs?: number;
  /** Whether the lease is given up when the election is cancelled, so that another leader need not wait for its end. */
  readonly releaseOnCancel?: boolean;
  /** For metrics and health: of what the candidate would be the leader. The lease's name by default. */
  readonly name?: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** Candidates wait up to so many times the retry period longer between tries. */
export const jitterFactor = 1.2;

/** The times between which leadership is safe. */
export interface ElectionTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** The times with their defaults. Throws an Error when they do not fit, or nobody could tell candidates apart. */
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
