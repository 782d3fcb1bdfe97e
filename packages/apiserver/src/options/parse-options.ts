import { type CommandLine, type CommandLineForm, readCommandLine, withDefaults } from '@coxswain/component-base';
import { type ApiServerOptions, apiServerFlags } from './api-server-flags.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { validateOptions } from './validate-options.ts';

/**
 * Parses a command line of kube-apiserver. `otherwise` has the options for flags that are not given. Throws a FlagError for an unknown
 * flag or a value of the wrong type, and an OptionsError with all invalid and unsupported options.
 */
export function parseOptions(args: readonly string[], otherwise: ApiServerOptions = {}): CommandLine<ApiServerOptions> {
  return readCommandLine(args, apiServerForm, otherwise);
}

/** kube-apiserver's flags: supported, ignored and refused ones. */
export const apiServerForm: CommandLineForm<typeof apiServerFlags> = {
  component: 'kube-apiserver',
  self: 'this server',
  flags: apiServerFlags,
  ignored: ignoredFlags,
  refused: refusedFlags,
  validate: (given) => validateOptions(withDefaults(apiServerFlags, given)),
};
