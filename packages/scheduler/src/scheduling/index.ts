export { BindingCycle } from './binding-cycle.ts';
export { BoundedTasks } from './bounded-tasks.ts';
export { newExtenders } from './extenders.ts';
export { FailureHandler } from './failure-handler.ts';
export { NodeFinder } from './node-finder.ts';
export { SchedulingCycle } from './scheduling-cycle.ts';
export { SchedulingMetrics } from './scheduling-metrics.ts';
