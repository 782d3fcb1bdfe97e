import { flag, string } from '@coxswain/component-base';
import type { CommandBody } from '@coxswain/component-base/cli';
import { UsageError } from '@coxswain/component-base/cli';
import { columns } from '../columns.ts';
import type { CoxContext } from '../context.ts';
import { printed } from '../output.ts';
import { ClusterDirectory } from './cluster-directory.ts';
import { contextNameOf } from './cluster-name.ts';

const formats = ['name', 'json', 'yaml'];
const flags = {
  output: { ...flag(string, "One of 'name', 'yaml' or 'json'", ''), shorthand: 'o', values: formats },
};

interface Listed {
  readonly name: string;
  readonly context: string;
  readonly running: boolean;
  readonly pid?: number;
  readonly url?: string;
  readonly dataDir: string;
}

export const clustersCommand: CommandBody<CoxContext> = {
  long: 'List the clusters of this user: those that run, and those that have data. Clusters with a --data-dir are not listed.',
  flags,
  async run(invocation) {
    const { output } = invocation.flags(flags);
    if (output !== '' && !formats.includes(output)) throw new UsageError(`--output must be 'name', 'yaml' or 'json'`);
    const { terminal, process } = invocation.context;
    const names = await ClusterDirectory.names(process.env);
    const clusters = await Promise.all(names.map((name) => listed(name, process.env)));
    if (output === 'name') for (const { name } of clusters) terminal.out(`${name}\n`);
    else if (output === 'json' || output === 'yaml') terminal.out(await printed({ clusters }, output));
    else if (clusters.length === 0) terminal.err('there are no clusters; cox up starts one\n');
    else
      terminal.out(
        columns([
          ['NAME', 'CONTEXT', 'STATUS', 'ADDRESS'],
          ...clusters.map(({ name, context, running, url = '' }) => [
            name,
            context,
            running ? 'Running' : 'Stopped',
            url,
          ]),
        ]),
      );
    return 0;
  },
};

async function listed(name: string, env: CoxContext['process']['env']): Promise<Listed> {
  const directory = new ClusterDirectory(ClusterDirectory.pathOf(name, env));
  const [pid, state] = [await directory.holder(), await directory.readableState()];
  const about = { name, context: contextNameOf(name), dataDir: directory.path };
  if (pid === undefined) return { ...about, running: false };
  return { ...about, running: true, pid, ...(state?.pid === pid && { url: state.url }) };
}
