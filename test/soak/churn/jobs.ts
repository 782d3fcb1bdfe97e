import type { Activity } from './activity.ts';
import { create, remove, untilGone } from './calls.ts';
import { job } from './workloads.ts';

/** Jobs that complete and are deleted after their TTL. */
export const jobs: Activity = {
  name: 'jobs',
  perMinute: 6,
  atOnce: 6,
  async run(churn, turn) {
    const path = `/apis/batch/v1/namespaces/${churn.namespace}/jobs`;
    await create(churn.rest, path, job(`job-${turn}`));
    try {
      await untilGone(churn, `${path}/job-${turn}`);
    } finally {
      // In case it did not complete.
      await remove(churn.rest, `${path}/job-${turn}`);
    }
  },
};
