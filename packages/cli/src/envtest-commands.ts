import { reasonOf } from '@coxswain/apimachinery/log';
import type { CommandBody } from '@coxswain/component-base/cli';
import { componentBody } from './commands/component-body.ts';
import type { CoxContext } from './context.ts';
import { thisCommand } from './this-process.ts';

export const envtestAssetsCommand: CommandBody<CoxContext> = {
  long: `Write kube-apiserver, etcd and kubectl into a directory, as controller-runtime's envtest expects them.`,
  examples: `cox envtest-assets ./assets
KUBEBUILDER_ASSETS=$PWD/assets go test ./...`,
  args: { usage: 'DIRECTORY', least: 1, most: 1, complete: () => ({ values: [], directive: 16 }) },
  explain: reasonOf,
  async run({ args, context: { terminal, process } }) {
    const { envtestAssets } = await import('./envtest-assets.ts');
    return envtestAssets(args[0]!, terminal, { cox: thisCommand(), env: process.env });
  },
};

export const envtestApiserverCommand = componentBody(async (args, terminal, process) => {
  const { envtestApiserver } = await import('./envtest-apiserver.ts');
  return envtestApiserver(args, terminal, process);
});

export const envtestEtcdCommand = componentBody(async (args, terminal, process) => {
  const { envtestEtcd } = await import('./envtest-etcd.ts');
  return envtestEtcd(args, terminal, process);
});
