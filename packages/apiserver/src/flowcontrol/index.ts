/**
 * API priority and fairness: requests are sorted into flows by flow schemas, flows into priority levels, and each level
 * has its part of the server's seats, given to flows in turn. `FlowControl` is all of it; begin with `FlowController`, and
 * `QueueSet` for how turns are taken.
 */
export { FlowControl } from './flow-control.ts';
