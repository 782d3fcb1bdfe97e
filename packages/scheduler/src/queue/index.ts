/** The pods that wait to be scheduled. `SchedulingQueue` is the whole of it; the rest are its parts. */
export { PodNominator } from './pod-nominator.ts';
export { QueuedPodInfo } from './queued-pod-info.ts';
export { hintsForEverything, QueueingHints, type RegisteredHint, registeredHints } from './queueing-hints.ts';
export { type Rejection, SchedulingQueue, type SchedulingQueueOptions } from './scheduling-queue.ts';
