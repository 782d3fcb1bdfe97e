/**
 * `@coxswain/apiserver`: kube-apiserver. The generic server (filters, endpoints, registries over a store) and the
 * built-in groups on it.
 *
 * It has no controllers and no scheduler. Those are its clients.
 *
 * Where to start: `startApiServer` runs a server, also in memory. `options/` has its flags, and `server/api-server.ts` puts everything
 * together. The path of a request is `filters/handler-chain.ts`, `endpoints/resource-router.ts`, `registry/resource-registry.ts`.
 */

export { forbiddenNodeLabels } from './admission/node/node-labels.ts';
export {
  type ApiServerOptions,
  apiServerForm,
  apiServerHelp,
  type CompletedServer,
  completeOptions,
  FlagError,
  OptionsError,
  parseOptions,
  type RunningApiServer,
  type ServerAuthority,
  type ServerEnvironment,
  startApiServer,
} from './options/index.ts';
export {
  DialError,
  type Dialer,
  type DialRequest,
  type DialResponse,
  type DialTarget,
  SocketDialer,
  withLocalKubelets,
} from './proxy/index.ts';
export { ApiServer } from './server/api-server.ts';
export type { ApiServerConfig } from './server/api-server-config.ts';
export { versionInfo } from './version/index.ts';
