import type { Job, JobCondition } from '@coxswain/api/batch/v1';

export const jobResource = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true };

/** Those of Complete and Failed that is true: the Job has ended, and nothing of it is counted any more. */
export const finishedCondition = ({ status }: Job): JobCondition | undefined =>
  status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');

export const isJobFinished = (job: Job): boolean => finishedCondition(job) !== undefined;
