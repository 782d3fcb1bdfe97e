import { messageOf } from '@coxswain/apimachinery/errors';
import {
  type CommandLine,
  flagGroupHelp,
  flagNamesHelp,
  readCommandLine,
  withDefaults,
} from '@coxswain/component-base';
import { parseNodeIPs } from '../node/node-ips.ts';
import { flagGroups, type KubeletCommandOptions, kubeletFlags, nodeFlags } from './kubelet-flags.ts';
import { nodeLabelsProblem } from './node-labels.ts';
import { ignoredFlags, refusedFlags } from './other-flags.ts';

/** Parses the kubelet's command line. Throws like `readCommandLine`. The configuration is only read when the kubelet runs. */
export function parseKubeletOptions(args: readonly string[]): CommandLine<KubeletCommandOptions> {
  const form = {
    component: 'kubelet',
    self: 'this kubelet',
    flags: kubeletFlags,
    ignored: ignoredFlags,
    refused: refusedFlags,
    validate,
  };
  return readCommandLine(args, form, {});
}

function validate(given: KubeletCommandOptions): string[] {
  const { nodeLabels, nodeIp, cloudProvider } = withDefaults(nodeFlags, given);
  const problems: string[] = [];
  const labels = nodeLabels && nodeLabelsProblem(nodeLabels);
  if (labels !== undefined) problems.push(`failed to validate kubelet flags: ${labels}`);
  if (cloudProvider !== '' && cloudProvider !== 'external') problems.push(disabledProvider(cloudProvider));
  try {
    parseNodeIPs(nodeIp);
  } catch (error) {
    problems.push(`bad --node-ip "${nodeIp}": ${messageOf(error)}`);
  }
  return problems;
}

const disabledProvider = (name: string): string =>
  `cloud provider "${name}" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`;

/** Returns the `--help` text. */
export function kubeletHelp(command: string): string {
  return [
    `The Kubernetes node agent: runs the pods of a node in a container runtime. The flags are those of kubelet v1.36. Those with a field in
KubeletConfiguration are deprecated upstream in favour of --config.

Usage:
  ${command} [flags]`,
    ...Object.entries(flagGroups).map(([title, flags]) => flagGroupHelp(title, flags)),
    `Accepted for compatibility, without effect:\n\n${flagNamesHelp(ignoredFlags)}`,
    `Refused, because they ask for features that are not supported:\n\n${flagNamesHelp(refusedFlags)}\n`,
  ].join('\n\n');
}
