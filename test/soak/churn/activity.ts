import type { RESTClient } from '@coxswain/client';
import type { RestConfig } from '@coxswain/client';

/** The shared environment of activities. */
export interface Churn {
  /** A client with all rights. */
  readonly rest: RESTClient;
  readonly config: RestConfig;
  /** A namespace that exists during the whole soak. */
  readonly namespace: string;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Rejects when the soak ends. */
  sleep(ms: number): Promise<void>;
  /** Aborted when the soak ends. */
  readonly signal: AbortSignal;
}

/**
 * A kind of use of a cluster. The objects of a run are deleted when the run has ended, except for a bounded number of objects that later
 * runs reuse.
 */
export interface Activity {
  readonly name: string;
  readonly perMinute: number;
  /** The largest number of concurrent runs. When it is reached, a turn is left out. */
  readonly atOnce: number;
  /** Called once before the first run. */
  prepare?(churn: Churn): Promise<void>;
  /** Runs once. `turn` is the number of the run, from 0. */
  run(churn: Churn, turn: number): Promise<void>;
}
