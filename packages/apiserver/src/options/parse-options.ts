import { type CommandLine, type CommandLineForm, readCommandLine, withDefaults } from '@coxswain/component-base';
import { type ApiServerOptions, apiServerFlags } from './api-server-flags.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { validateOptions } from './validate-options.ts';

/**
 * Reads kube-apiserver's command line; `otherwise` is what holds where it says nothing. Throws a FlagError for a flag that
 * nobody knows or a value that is none, and an OptionsError with everything that cannot work or is not there.
 */
export function parseOptions(args: readonly string[], otherwise: ApiServerOptions = {}): CommandLine<ApiServerOptions> {
  return readCommandLine(args, apiServerForm, otherwise);
}

/** kube-apiserver's flags: those that are honoured, those that make no difference, and those that are refused. */
export const apiServerForm: CommandLineForm<typeof apiServerFlags> = {
  component: 'kube-apiserver',
  self: 'this server',
  flags: apiServerFlags,
  ignored: ignoredFlags,
  refused: refusedFlags,
  validate: (given) => validateOptions(withDefaults(apiServerFlags, given)),
};
