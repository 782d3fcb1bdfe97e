/** The scheduler's cache of nodes and their pods. */
export { SchedulerCache } from './scheduler-cache.ts';
