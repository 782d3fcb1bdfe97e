import type { Activity, Churn } from './churn/index.ts';

/** The counts of an activity's runs. */
export interface Tally {
  begun: number;
  ended: number;
  failed: number;
  /** Turns that were left out because too many runs were in progress. */
  leftOut: number;
  lastFailure: string | undefined;
}

/** Runs an activity at its rate until the soak ends. Resolves when its last run has ended. */
export async function keepUp(activity: Activity, churn: Churn, rate: number, tally: Tally): Promise<void> {
  const intervalMs = 60_000 / (activity.perMinute * rate);
  const underWay = new Set<Promise<void>>();
  // A random delay, so that activities of the same rate do not start together.
  await churn.sleep(churn.random() * intervalMs).catch(() => {});
  while (!churn.signal.aborted) {
    if (underWay.size < activity.atOnce * Math.max(1, rate)) {
      const run = oneRun(activity, churn, tally).finally(() => underWay.delete(run));
      underWay.add(run);
    } else tally.leftOut++;
    await churn.sleep(intervalMs).catch(() => {});
  }
  await Promise.all(underWay);
}

async function oneRun({ name, run }: Activity, churn: Churn, tally: Tally): Promise<void> {
  try {
    await run(churn, tally.begun++);
    tally.ended++;
  } catch (error) {
    if (churn.signal.aborted) return;
    tally.failed++;
    tally.lastFailure = `${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
