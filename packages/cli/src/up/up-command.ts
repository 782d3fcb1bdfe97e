import { boolean, flag, integerBetween, OptionsError, string } from '@coxswain/component-base';
import type { CommandBody } from '@coxswain/component-base/cli';
import type { CoxContext } from '../context.ts';
import { verbosityOf } from '../verbosity.ts';
import { apiServerOptionsOf, otherFlags, passedFlags } from './api-server-flags.ts';
import { usualPort } from './choose-port.ts';
import { clusterCompletions, clusterFlags, clusterOf } from './cluster-flags.ts';
import { detach } from './detach.ts';
import { explainError } from './explain-error.ts';
import { logFile } from './log-file.ts';
import { chooseRuntime, runtimeType } from './runtime-choice.ts';

const flags = {
  ...clusterFlags,
  port: flag(
    integerBetween(0, 65535),
    `Port to listen on; 0 selects a free one. Default: the port it had last, or ${usualPort}; a free one when that is taken`,
  ),
  kubeconfig: flag(string, 'Write the context to this file, instead of the one that kubectl uses'),
  runtime: flag(
    runtimeType,
    'What runs containers. containers: this machine is a node, with runc and conmon (needs root). unix:///…: it is one, with the container runtime (CRI) at that socket. hollow: all nodes are hollow, and run none. auto: as the last time; at first containers if the machine can, else hollow. Default: $COX_RUNTIME, or auto',
  ),
  nodes: flag(
    integerBetween(0, 5000),
    'Number of hollow nodes, which run no containers. Default: 2, and 0 beside a real node, where they have a taint',
  ),
  memory: flag(boolean, 'Keep all data in memory; they are lost when the cluster stops', false),
  detach: {
    ...flag(boolean, 'Run the cluster in the background, and return when it is ready', false),
    shorthand: 'd',
  },
  'log-file': flag(
    string,
    'Write messages to this file instead of the terminal. Default with --detach: cluster.log in the directory of the cluster',
  ),
};

export const upCommand: CommandBody<CoxContext> = {
  long: `Run a cluster: API server, controllers, scheduler, and nodes: this machine, which runs containers, or hollow ones, which run none.
The context of the cluster is added to the kubeconfig, and is current while the cluster runs.`,
  examples: `# A cluster until Ctrl-C; the context is cox
cox up

# A second one beside it; the context is cox-dev
cox up --name dev

# With containers of containerd
sudo cox up --runtime unix:///run/containerd/containerd.sock

# In the background
cox up --detach
cox down

# With flags of kube-apiserver
cox up --feature-gates=AllAlpha=true --runtime-config=api/all=true --audit-policy-file=policy.yaml --audit-log-path=audit.log`,
  flags: { ...otherFlags, ...flags },
  flagGroups: { "API Server Options (kube-apiserver's flags)": passedFlags },
  completions: clusterCompletions,
  explain: (error) => (error instanceof OptionsError ? error.problems.join('\nerror: ') : explainError(error)),
  async run(invocation) {
    const { context } = invocation;
    const { port, kubeconfig, memory, ...given } = invocation.flags(flags);
    const cluster = clusterOf(invocation);
    const { options: apiServer, notices } = apiServerOptionsOf(invocation);
    if (given.detach) return detach(cluster, invocation.words, context);
    const { directory } = cluster;
    const wanted = given.runtime ?? runtimeType.read(context.process.env.COX_RUNTIME || 'auto', undefined);
    const { choice: runtime, notice } = await chooseRuntime(wanted, {
      last: async () => ((await directory.isEmpty()) ? undefined : { runtime: await directory.recordedRuntime() }),
      problem: async () => (await import('@coxswain/runtime')).containersProblem(),
    });
    const nodes = given.nodes ?? (runtime.kind === 'hollow' ? 2 : 0);
    const terminal = given.logFile === undefined ? context.terminal : logFile(given.logFile);
    const { up } = await import('./up.ts');
    const verbosity = verbosityOf(invocation);
    await up(
      {
        ...cluster,
        port,
        kubeconfig,
        runtime,
        nodes,
        memory,
        verbosity,
        apiServer,
        notices: [...notices, ...(notice ? [notice] : [])],
      },
      terminal,
      context.process,
    );
    return 0;
  },
};
