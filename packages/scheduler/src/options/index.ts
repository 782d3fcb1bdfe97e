/** Runs a scheduler from kube-scheduler's command line flags. */
export { loadConfiguration } from './load-configuration.ts';
export { parseSchedulerOptions, schedulerHelp } from './parse-options.ts';
export { runScheduler, type SchedulerEnvironment } from './run-scheduler.ts';
export { type SchedulerCommandOptions, schedulerFlags } from './scheduler-flags.ts';
