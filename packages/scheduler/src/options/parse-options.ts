import { type CommandLine, flagGroupHelp, flagNamesHelp, readCommandLine } from '@coxswain/component-base';
import { parseFeatureGates } from '@coxswain/component-base/features';
import { loggingProblems } from '@coxswain/component-base/logs';
import { servingProblems } from '@coxswain/component-base/serving';
import { ignoredFlags, refusedFlags } from './other-flags.ts';
import { flagGroups, type SchedulerCommandOptions, schedulerFlags } from './scheduler-flags.ts';

/** Feature gates that have an effect here. */
const honouredFeatures: readonly string[] = ['ComponentFlagz', 'ComponentStatusz'];

/** Parses kube-scheduler's command line. Throws like `readCommandLine`. */
export function parseSchedulerOptions(args: readonly string[]): CommandLine<SchedulerCommandOptions> {
  const form = {
    component: 'kube-scheduler',
    self: 'this scheduler',
    flags: schedulerFlags,
    ignored: ignoredFlags,
    refused: refusedFlags,
    validate,
  };
  const commandLine = readCommandLine(args, form, {});
  if (commandLine.wanted !== 'run') return commandLine;
  return { ...commandLine, notices: [...commandLine.notices, ...notices(commandLine.options)] };
}

function validate(given: SchedulerCommandOptions): string[] {
  const problems = [...servingProblems(given), ...loggingProblems(given)];
  try {
    parseFeatureGates(given.featureGates ?? []);
  } catch (error) {
    problems.push(`--feature-gates: ${error instanceof Error ? error.message : error}`);
  }
  return problems;
}

/** Returns a notice for each given flag and feature gate without effect. */
function notices({
  config,
  kubeconfig,
  kubeApiQps,
  kubeApiBurst,
  featureGates = [],
}: SchedulerCommandOptions): string[] {
  const deprecated = { kubeconfig, 'kube-api-qps': kubeApiQps, 'kube-api-burst': kubeApiBurst };
  const overruled = config ? Object.entries(deprecated).filter(([, value]) => value !== undefined) : [];
  const gates = featureGates.flatMap((text) => text.match(/[A-Za-z]+(?==)/g) ?? []);
  return [
    ...overruled.map(([name]) => `--${name} makes no difference: --config takes precedence`),
    ...gates
      .filter((name) => !honouredFeatures.includes(name))
      .map((name) => `--feature-gates: ${name} makes no difference: the scheduler uses the defaults of v1.36`),
  ];
}

/** Returns the `--help` text. */
export function schedulerHelp(command: string): string {
  return [
    `The Kubernetes scheduler: finds the best node for each pod. The flags are those of kube-scheduler v1.36.

Usage:
  ${command} [flags]`,
    ...Object.entries(flagGroups).map(([title, flags]) => flagGroupHelp(title, flags)),
    `Accepted for compatibility, without effect:\n\n${flagNamesHelp(ignoredFlags)}`,
    `Refused, because they ask for features that are not supported:\n\n${flagNamesHelp(refusedFlags)}\n`,
  ].join('\n\n');
}
