/** What exists after the first start of a server, and is kept in order as long as it runs: `bootstrapHooks`. */
export { type APIServicePriority, apiServicePriority } from './api-service-priorities.ts';
export { type BootstrapOptions, bootstrapHooks } from './bootstrap-hooks.ts';
export type { ClusterAuthenticationInfo, RequestHeaderInfo } from './cluster-authentication.ts';
export { apiServerId } from './identity-lease.ts';
export { isLoopback } from './kubernetes-service.ts';
export { startPeriodicTask } from './periodic-task.ts';
export type { BootstrapContext, PostStartHook } from './post-start-hook.ts';
