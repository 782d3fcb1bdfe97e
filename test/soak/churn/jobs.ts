import type { Activity } from './activity.ts';
import { create, untilGone } from './calls.ts';
import { job } from './workloads.ts';

/** Jobs that end, and are deleted some time after. */
export const jobs: Activity = {
  name: 'jobs',
  perMinute: 6,
  atOnce: 6,
  async run(churn, turn) {
    const path = `/apis/batch/v1/namespaces/${churn.namespace}/jobs`;
    await create(churn.rest, path, job(`job-${turn}`));
    await untilGone(churn, `${path}/job-${turn}`);
  },
};
