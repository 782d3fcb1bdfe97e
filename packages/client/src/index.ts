/**
 * `@coxswain/client`: client-go for TypeScript. Typed clients for every resource, dynamic and metadata clients,
 * discovery; informers and listers; work queues; leader election; events; exec, logs and port-forward.
 *
 * It contains no server and no controllers. Everything exported here also runs in a browser.
 * `@coxswain/client/kubeconfig`, which reads kubeconfig files, needs Node.
 *
 * Where to start: `kubernetes/` for the ClientSet, `informers/` for caches that stay up to date, `workqueue/`.
 */
export * from './clock/index.ts';
export * from './config/index.ts';
export * from './custom-resources/index.ts';
export * from './discovery/index.ts';
export * from './dynamic/index.ts';
export * from './events/index.ts';
export * from './expectations/index.ts';
export * from './flowcontrol/index.ts';
export * from './informers/index.ts';
export * from './kubernetes/index.ts';
export * from './leader-election/index.ts';
export * from './metadata/index.ts';
export * from './observe/index.ts';
export * from './pager/index.ts';
export * from './remote/index.ts';
export * from './rest/index.ts';
export * from './retry/index.ts';
export * from './scale/index.ts';
export * from './transport/index.ts';
export * from './wait/index.ts';
export * from './watch/index.ts';
export * from './workqueue/index.ts';
