/** The hooks that create the objects of a server's first start, and maintain them while it runs: `bootstrapHooks`. */

export { bootstrapHooks } from './bootstrap-hooks.ts';
export type { ClusterAuthenticationInfo } from './cluster-authentication.ts';
export { flowSchemas, priorityLevels } from './flow-control-objects.ts';

export { isLoopback } from './kubernetes-service.ts';

export type { PostStartHook } from './post-start-hook.ts';
