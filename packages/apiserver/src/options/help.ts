import { flagGroupHelp, flagNamesHelp, wrapped } from '@coxswain/component-base';
import { flagGroups } from './api-server-flags.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';

/** Returns the text of `--help`: the supported flags by group, and the names of the others. */
export function apiServerHelp(command: string): string {
  const groups = Object.entries(flagGroups).map(([title, flags]) => flagGroupHelp(title, flags));
  return [
    `The Kubernetes API server. It starts without any flag: objects, certificates and the kubeconfig of an
administrator are kept in --data-dir. The flags are those of kube-apiserver v1.36.

Usage:
  ${command} [flags]`,
    ...groups,
    `Other:

  -h, --help
${wrapped('Print this')}
      --version
${wrapped('Print the version of the API')}`,
    `Accepted, because scripts have them, without making a difference:\n\n${flagNamesHelp(ignoredFlags)}`,
    `Refused, because what they ask for is not there yet:\n\n${flagNamesHelp(refusedFlags)}`,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}
