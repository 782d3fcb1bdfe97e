import type { RESTClient } from '@coxswain/client';
import type { RestConfig } from '@coxswain/client';

/** What activities share. */
export interface Churn {
  /** As an administrator. */
  readonly rest: RESTClient;
  readonly config: RestConfig;
  /** A namespace that stays. */
  readonly namespace: string;
  /** In [0, 1). */
  readonly random: () => number;
  /** Rejects when the soak ends. */
  sleep(ms: number): Promise<void>;
  /** Aborted when the soak ends. */
  readonly signal: AbortSignal;
}

/**
 * Something that people do with a cluster. What a run makes is gone when the run has ended, apart from a bounded number of
 * objects that the next runs use again.
 */
export interface Activity {
  readonly name: string;
  readonly perMinute: number;
  /** How many runs may be under way at once; when there are as many, a turn is left out. */
  readonly atOnce: number;
  /** Done once before the first run. */
  prepare?(churn: Churn): Promise<void>;
  /** `turn` counts the runs from 0. */
  run(churn: Churn, turn: number): Promise<void>;
}
