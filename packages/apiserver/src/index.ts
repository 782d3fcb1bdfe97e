/**
 * `@coxswain/apiserver`: kube-apiserver. The generic server (filters, endpoints, registries over a store) and the
 * built-in groups on it.
 *
 * It has no controllers and no scheduler: those are clients of it. Custom resources, webhooks and aggregation are not
 * there yet.
 *
 * Where to start: `server/api-server.ts` puts everything together; a request's way is `filters/handler-chain.ts`,
 * `endpoints/resource-router.ts`, `registry/resource-registry.ts`.
 */
export { ApiServer } from './server/api-server.ts';
export type { ApiServerConfig, Logger } from './server/api-server-config.ts';
