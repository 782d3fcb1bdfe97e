import { boolean, flag } from '@coxswain/component-base';
import type { CommandBody } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { clusterCompletions, clusterFlags, clusterOf } from './cluster-flags.ts';
import { down } from './down.ts';
import { explainError } from './explain-error.ts';
import { endContainers } from './reset.ts';

const flags = {
  ...clusterFlags,
  containers: flag(boolean, 'End the containers, too. The next cox up starts their pods again', false),
};

export const downCommand: CommandBody<CoxContext> = {
  long: `Stop a cluster; its data are kept, and its containers keep running. The context that was current in the kubeconfig before the cluster started becomes current again,
even if the cluster's process was killed.`,
  flags,
  completions: clusterCompletions,
  explain: explainError,
  async run(invocation) {
    const { directory } = clusterOf(invocation);
    const { terminal, process } = invocation.context;
    const pid = await down(directory, process.env);
    if (invocation.flags(flags).containers) {
      const ended = await endContainers(directory);
      terminal.out(ended ? `containers have ended\n` : 'the cluster has no containers\n');
    }
    terminal.out(pid === undefined ? `no cluster runs in ${directory.path}\n` : `process ${pid} has ended\n`);
    return 0;
  },
};
