import { boolean, flag } from '@coxswain/component-base';
import type { CommandBody } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { clusterCompletions, clusterFlags, clusterOf } from './cluster-flags.ts';
import { explainError } from './explain-error.ts';
import { reset } from './reset.ts';

const flags = { ...clusterFlags, yes: { ...flag(boolean, 'Do not ask', false), shorthand: 'y' } };

export const resetCommand: CommandBody<CoxContext> = {
  long: 'Stop a cluster, delete all of its data, and remove its context from the kubeconfig.',
  flags,
  completions: clusterCompletions,
  explain: explainError,
  async run(invocation) {
    const { terminal, process } = invocation.context;
    const { directory } = clusterOf(invocation);
    if ((await directory.isEmpty()) && (await directory.holder()) === undefined) {
      terminal.out(`there is no cluster in ${directory.path}\n`);
      return 0;
    }
    const question = `delete the cluster in ${directory.path}, with all its data? [y/N] `;
    if (!invocation.flags(flags).yes && !(await process.confirm(question))) {
      terminal.err('nothing was deleted; --yes deletes without asking\n');
      return 1;
    }
    await reset(directory, process.env);
    terminal.out(`deleted ${directory.path}\n`);
    return 0;
  },
};
