import type { Job, JobCondition } from '@coxswain/api/batch/v1';

export const jobResource = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true };

/** Returns the Complete or Failed condition with status True. A Job that has one is finished and its pods are no longer counted. */
export const finishedCondition = ({ status }: Job): JobCondition | undefined =>
  status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');

export const isJobFinished = (job: Job): boolean => finishedCondition(job) !== undefined;
