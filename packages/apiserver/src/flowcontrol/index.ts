/**
 * API Priority and Fairness. FlowSchemas assign requests to flows and priority levels. Each level has a part of the server's
 * seats (units of concurrency) and shares them fairly among its flows. `FlowControl` puts it together. Start reading with
 * `FlowController`, and `QueueSet` for fair queuing.
 */
export { FlowControl } from './flow-control.ts';
