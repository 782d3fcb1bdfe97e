export { DelayingQueue } from './delaying-queue.ts';
export { type AddOptions, lowPriority, PriorityQueue } from './priority-queue.ts';
export {
  BucketRateLimiter,
  defaultControllerRateLimiter,
  defaultItemRateLimiter,
  ItemExponentialFailureRateLimiter,
  ItemFastSlowRateLimiter,
  MaxOfRateLimiter,
  type QueueRateLimiter,
  WithMaxWaitRateLimiter,
} from './rate-limiter.ts';
export { RateLimitingQueue, type RateLimitingQueueOptions } from './rate-limiting-queue.ts';
export {
  type Reconcile,
  type ReconcileFailure,
  type ReconcileResult,
  runWorkers,
  type WorkerQueue,
  type WorkersOptions,
} from './run-workers.ts';
export { WorkQueue, type WorkQueueOptions } from './work-queue.ts';
