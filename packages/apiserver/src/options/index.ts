/**
 * From kube-apiserver's flags to a running server: `parseOptions` parses a command line, `completeOptions` makes a configuration
 * from options, `startApiServer` starts a server. The flags are tables: supported ones in `api-server-flags.ts`, ignored and refused
 * ones with the reasons in `other-flags.ts`.
 */

export { FlagError, OptionsError } from '@coxswain/component-base';
export type { ApiServerOptions } from './api-server-flags.ts';
export {
  type CompletedServer,
  completeOptions,
  type ServerAuthority,
  type ServerEnvironment,
} from './complete-options.ts';
export { apiServerHelp } from './help.ts';
export { apiServerForm, parseOptions } from './parse-options.ts';
export { type RunningApiServer, startApiServer } from './start-api-server.ts';
