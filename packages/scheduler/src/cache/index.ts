/** What is known of nodes and the pods on them. */
export { SchedulerCache } from './scheduler-cache.ts';
