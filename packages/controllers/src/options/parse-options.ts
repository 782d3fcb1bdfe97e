import { type CommandLine, flagGroupHelp, flagNamesHelp, readCommandLine, wrapped } from '@coxswain/component-base';
import { allControllers, chosenControllers } from '../all-controllers.ts';
import { type ControllerManagerOptions, controllerManagerFlags, flagGroups } from './controller-manager-flags.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';

/** All of them, also those that only run when a certificate or a key is given. */
const everyController = allControllers({
  rootCA: '',
  signing: { authorities: {} },
  signToken: () => '',
});

/** Reads kube-controller-manager's command line. Throws as `readCommandLine`. */
export function parseControllerManagerOptions(args: readonly string[]): CommandLine<ControllerManagerOptions> {
  return readCommandLine(
    args,
    {
      component: 'kube-controller-manager',
      self: 'this controller manager',
      flags: controllerManagerFlags,
      ignored: ignoredFlags,
      refused: refusedFlags,
      validate,
    },
    {},
  );
}

function validate(given: ControllerManagerOptions): string[] {
  const problems: string[] = [];
  try {
    chosenControllers(everyController, given.controllers ?? ['*']);
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  if (given.allocateNodeCidrs && !given.clusterCidr?.length) {
    problems.push('--allocate-node-cidrs needs --cluster-cidr: which addresses are there to give?');
  }
  if (!given.clusterSigningCertFile !== !given.clusterSigningKeyFile) {
    problems.push('--cluster-signing-cert-file and --cluster-signing-key-file go together: give both');
  }
  return problems;
}

/** What `--help` prints. */
export function controllerManagerHelp(command: string): string {
  const names = everyController.map(({ name, isOffByDefault }) => (isOffByDefault ? `${name} (off)` : name)).sort();
  return [
    `The Kubernetes controller manager: the control loops that bring a cluster to what its objects ask for. The flags are
those of kube-controller-manager v1.36.

Usage:
  ${command} [flags]`,
    ...Object.entries(flagGroups).map(([title, flags]) => flagGroupHelp(title, flags)),
    `Controllers:\n\n${wrapped(names.join(', '), 6)}`,
    `Accepted, because scripts have them, without making a difference:\n\n${flagNamesHelp(ignoredFlags)}`,
    `Refused, because what they ask for is not there yet:\n\n${flagNamesHelp(refusedFlags)}\n`,
  ].join('\n\n');
}
