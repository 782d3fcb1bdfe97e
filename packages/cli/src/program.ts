import type { Command, Program } from '@coxswain/component-base/cli';
import type { CoxContext } from './context.ts';
import { globalFlags } from './global-flags.ts';

const clusters = 'Cluster Commands';
const containers = 'Containers';
const components = 'Components';
const files = 'Commands Without a Cluster';
const others = 'Other Commands';

/** Each command is loaded on use, so that small commands start fast. */
const commands: readonly Command<CoxContext>[] = [
  {
    name: 'up',
    short: 'Run a cluster',
    group: clusters,
    load: async () => (await import('./up/up-command.ts')).upCommand,
  },
  {
    name: 'down',
    short: 'Stop a cluster; its data are kept',
    group: clusters,
    load: async () => (await import('./up/down-command.ts')).downCommand,
  },
  {
    name: 'status',
    short: 'Show whether a cluster runs, and its state',
    group: clusters,
    load: async () => (await import('./up/status-command.ts')).statusCommand,
  },
  {
    name: 'reset',
    short: 'Stop a cluster and delete all of its data',
    group: clusters,
    load: async () => (await import('./up/reset-command.ts')).resetCommand,
  },
  {
    name: 'clusters',
    short: 'List the clusters of this user',
    group: clusters,
    load: async () => (await import('./up/clusters-command.ts')).clustersCommand,
  },
  {
    name: 'ps',
    short: 'List the containers of this machine',
    group: containers,
    load: async () => (await import('./containers/ps-command.ts')).psCommand,
  },
  {
    name: 'image',
    short: 'Pull, load, list and remove the images of this machine',
    group: containers,
    load: async () => (await import('./containers/image-command.ts')).imageCommand,
  },
  {
    name: 'apiserver',
    short: "Run the API server, with kube-apiserver's flags",
    group: components,
    load: async () => (await import('./apiserver.ts')).apiserverCommand,
  },
  {
    name: 'controller-manager',
    short: "Run the controllers, with kube-controller-manager's flags",
    group: components,
    load: async () => (await import('./controller-manager.ts')).controllerManagerCommand,
  },
  {
    name: 'scheduler',
    short: "Run the scheduler, with kube-scheduler's flags",
    group: components,
    load: async () => (await import('./scheduler.ts')).schedulerCommand,
  },
  {
    name: 'kubelet',
    short: "Run the node agent, with kubelet's flags",
    group: components,
    load: async () => (await import('./kubelet.ts')).kubeletCommand,
  },
  {
    name: 'dns',
    short: "Run the cluster's DNS server, configured by a Corefile",
    group: components,
    load: async () => (await import('./dns.ts')).dnsCommand,
  },
  {
    name: 'runtime',
    short: 'Run the container runtime, for any kubelet',
    group: components,
    load: async () => (await import('./containers/runtime-command.ts')).runtimeCommand,
  },
  {
    name: 'validate',
    short: 'Validate manifests like a Kubernetes v1.36 API server, without a server',
    group: files,
    load: async () => (await import('./commands/validate-command.ts')).validateCommand,
  },
  {
    name: 'explain',
    short: 'Describe a kind or a field',
    group: files,
    load: async () => (await import('./commands/explain-command.ts')).explainCommand,
  },
  {
    name: 'api-resources',
    short: 'List the built-in resources',
    group: files,
    load: async () => (await import('./commands/api-resources-command.ts')).apiResourcesCommand,
  },
  {
    name: 'generate',
    short: 'Generate code',
    group: files,
    load: async () => (await import('./commands/generate-command.ts')).generateCommand,
  },
  {
    name: 'envtest-assets',
    short: "Write the programs that controller-runtime's envtest starts",
    group: others,
    load: async () => (await import('./envtest-commands.ts')).envtestAssetsCommand,
  },
  {
    name: 'envtest-apiserver',
    short: 'Run the kube-apiserver of envtest',
    hidden: true,
    load: async () => (await import('./envtest-commands.ts')).envtestApiserverCommand,
  },
  {
    name: 'envtest-etcd',
    short: 'Run the etcd of envtest',
    hidden: true,
    load: async () => (await import('./envtest-commands.ts')).envtestEtcdCommand,
  },
  {
    name: 'version',
    short: 'Print the versions of Coxswain, of Kubernetes, and of the cluster',
    group: others,
    load: async () => (await import('./commands/version-command.ts')).versionCommand,
  },
];

/** The program `cox` for `runProgram`. */
export const coxProgram: Program<CoxContext> = {
  name: 'cox',
  body: {
    long: 'Coxswain is Kubernetes, written in TypeScript.',
    commands,
    persistentFlags: globalFlags,
    version: async () => (await import('./commands/version-command.ts')).versionText(),
  },
};
