/**
 * From kube-apiserver's flags to a server that runs: `parseOptions` reads a command line, `completeOptions` makes a
 * configuration of it, `startApiServer` does all of it. Which flags there are is data: `api-server-flags.ts` for those
 * that are honoured, `other-flags.ts` for those that make no difference and those that are refused, with the reasons.
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
