import { messageOf } from '@coxswain/apimachinery/errors';
import { type CommandLine, flagGroupHelp, flagNamesHelp, readCommandLine, wrapped } from '@coxswain/component-base';
import { loggingProblems } from '@coxswain/component-base/logs';
import { servingProblems } from '@coxswain/component-base/serving';
import { allControllers, chosenControllers } from '../all-controllers.ts';
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { type ControllerManagerOptions, controllerManagerFlags, flagGroups } from './controller-manager-flags.ts';
import { featureNotices, featuresOf } from './features.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { signingProblems } from './signing-options.ts';

/** All of them, also those that only run when a certificate or a key is given. */
const everyController = allControllers({
  rootCA: '',
  signing: { authorities: {} },
  signToken: () => '',
});

/** Reads kube-controller-manager's command line. Throws as `readCommandLine`. */
export function parseControllerManagerOptions(args: readonly string[]): CommandLine<ControllerManagerOptions> {
  const commandLine = readCommandLine(
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
  if (commandLine.wanted !== 'run') return commandLine;
  const { options, notices } = commandLine;
  return { ...commandLine, notices: [...notices, ...featureNotices(options.featureGates ?? [])] };
}

function validate(given: ControllerManagerOptions): string[] {
  const problems: string[] = [];
  const attempt = (check: () => unknown, prefix = ''): void => {
    try {
      check();
    } catch (error) {
      problems.push(prefix + messageOf(error));
    }
  };
  attempt(() => chosenControllers(everyController, given.controllers ?? ['*']));
  attempt(() => featuresOf(given.featureGates ?? []), '--feature-gates: ');
  if (given.allocateNodeCidrs && !given.clusterCidr?.length) {
    problems.push('--allocate-node-cidrs needs --cluster-cidr: which addresses are there to give?');
  }
  problems.push(...signingProblems(given), ...servingProblems(given), ...loggingProblems(given));
  return problems;
}

/** What `--help` prints. */
export function controllerManagerHelp(command: string): string {
  const namesOf = (controllers: readonly ControllerDefinition[]): string => {
    const names = controllers.map(({ name }) => name);
    return names.sort().join(', ');
  };
  return [
    `The Kubernetes controller manager: the control loops that bring a cluster to what its objects ask for. The flags are
those of kube-controller-manager v1.36.

Usage:
  ${command} [flags]`,
    ...Object.entries(flagGroups).map(([title, flags]) => flagGroupHelp(title, flags)),
    `Controllers:\n\n${[
      `All controllers: ${namesOf(everyController)}`,
      `Disabled-by-default controllers: ${namesOf(everyController.filter((each) => each.isOffByDefault))}`,
    ]
      .map((text) => wrapped(text, 6))
      .join('\n')}`,
    `Accepted, because scripts have them, without making a difference:\n\n${flagNamesHelp(ignoredFlags)}`,
    `Refused, because what they ask for is not there yet:\n\n${flagNamesHelp(refusedFlags)}\n`,
  ].join('\n\n');
}
