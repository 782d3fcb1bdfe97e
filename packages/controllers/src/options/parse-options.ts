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

/** All controllers, including those that run only with a certificate or key. */
const everyController = allControllers({
  rootCA: '',
  signing: { authorities: {} },
  signToken: () => '',
});

/** Parses kube-controller-manager's command line. Throws the same errors as `readCommandLine`. */
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
    problems.push('--allocate-node-cidrs requires --cluster-cidr');
  }
  problems.push(...signingProblems(given), ...servingProblems(given), ...loggingProblems(given));
  return problems;
}

/** Returns the output of `--help`. */
export function controllerManagerHelp(command: string): string {
  const namesOf = (controllers: readonly ControllerDefinition[]): string => {
    const names = controllers.map(({ name }) => name);
    return names.sort().join(', ');
  };
  return [
    `The Kubernetes controller manager: the control loops that bring a cluster to its desired state. The flags are
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
    `Accepted for compatibility, without effect:\n\n${flagNamesHelp(ignoredFlags)}`,
    `Refused, because they ask for features that are not supported:\n\n${flagNamesHelp(refusedFlags)}\n`,
  ].join('\n\n');
}
