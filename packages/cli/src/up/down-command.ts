import type { CommandBody } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { clusterCompletions, clusterFlags, clusterOf } from './cluster-flags.ts';
import { down } from './down.ts';
import { explainError } from './explain-error.ts';

export const downCommand: CommandBody<CoxContext> = {
  long: `Stop a cluster; its data are kept. The context that was current in the kubeconfig before the cluster started becomes current again,
even if the cluster's process was killed.`,
  flags: clusterFlags,
  completions: clusterCompletions,
  explain: explainError,
  async run(invocation) {
    const { directory } = clusterOf(invocation);
    const { terminal, process } = invocation.context;
    const pid = await down(directory, process.env);
    terminal.out(pid === undefined ? `no cluster runs in ${directory.path}\n` : `process ${pid} has ended\n`);
    return 0;
  },
};
