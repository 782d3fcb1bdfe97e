/**
 * `@coxswain/testkit`: a whole cluster inside a test, with a clock that the test can advance, requests that it can make fail, and snapshots
 * of its state. It works with vitest, jest, node:test, or without a framework.
 *
 * It is not a fake: the API server, controllers, scheduler and kubelets are those of `cox up`. Only containers do not run.
 *
 * Where to start: `startCluster`.
 */
export type { Manifest, Manifests } from './load/read-manifests.ts';
export type { ClusterSnapshot } from './snapshot.ts';
export { type StartClusterOptions, startCluster } from './start-cluster.ts';
export type { FailOptions, TestCluster, UntilOptions } from './test-cluster.ts';
export type { Span } from './time/to-ms.ts';
export type { RequestAbout, RequestMatcher } from './traffic/request-about.ts';
export { UntilTimeoutError } from './wait-error.ts';
