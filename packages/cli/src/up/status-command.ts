import type { CommandBody } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { outputFlag, outputFormat, printed } from '../output.ts';
import { clientLogger } from '../verbosity.ts';
import type { ClusterDirectory } from './cluster-directory.ts';
import { clusterCompletions, clusterFlags, clusterOf, commandFor } from './cluster-flags.ts';
import { contextNameOf, defaultClusterName } from './cluster-name.ts';
import { explainError } from './explain-error.ts';
import { type ClusterStatus, statusOf } from './status.ts';

const flags = { ...clusterFlags, output: outputFlag };

export const statusCommand: CommandBody<CoxContext> = {
  long: 'Show whether a cluster runs, and its state. The exit status is 1 when it does not run.',
  examples: `cox status
cox status --name dev -o json`,
  flags,
  completions: clusterCompletions,
  explain: explainError,
  async run(invocation) {
    const { terminal } = invocation.context;
    const format = outputFormat(invocation.flags(flags).output);
    const { name, directory } = clusterOf(invocation);
    const status = await statusOf(directory, clientLogger(invocation));
    if (format) {
      const about = { name, context: contextNameOf(name), dataDir: directory.path };
      terminal.out(await printed({ ...about, ...(status ?? { running: false }) }, format));
    } else if (status) terminal.out(`${linesOf(name, directory, status).join('\n')}\n`);
    else terminal.out(`no cluster runs in ${directory.path}; ${commandFor('up', name)} starts one\n`);
    return status ? 0 : 1;
  },
};

function linesOf(name: string, directory: ClusterDirectory, status: ClusterStatus): string[] {
  const title = name === defaultClusterName ? [] : [`name      ${name}`];
  if (!status.ready) return [...title, `cluster   starting, process ${status.pid}`];
  const counts = Object.entries(status.pods).map(([phase, count]) => `${count} ${phase}`);
  return [
    ...title,
    `cluster   running since ${status.startedAt}, process ${status.pid}`,
    `address   ${status.url}`,
    `data      ${status.memory ? 'in memory' : directory.path}`,
    `nodes     ${status.nodes.ready} of ${status.nodes.total} Ready`,
    `pods      ${counts.join(', ') || 'none'}`,
  ];
}
