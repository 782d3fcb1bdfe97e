import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildUpstream } from '../conformance/build.ts';
import { joinNodes, startOurs, startTheirs } from './api-servers.ts';
import { controllerManagerFlags, schedulerFlags } from './components.ts';
import { judgeCluster, testOperator } from './go-programs.ts';
import type { Stage } from './stage.ts';
import type { Verdict } from './verdict.ts';

const cox = fileURLToPath(new URL('../../packages/cli/bin/cox.js', import.meta.url));

/** A combination of upstream's programs and ours. */
export interface Direction {
  readonly name: string;
  readonly what: string;
  run(stage: Stage): Promise<readonly Verdict[]>;
}

export const directions: readonly Direction[] = [
  {
    name: 'client-go',
    what: 'client-go against `cox up`',
    async run(stage) {
      const kubeconfig = join(stage.folder, 'kubeconfig');
      const place = ['--memory', '--port=0', `--data-dir=${stage.folder}`, `--kubeconfig=${kubeconfig}`];
      await stage.start('cox-up', [cox, 'up', ...place], { until: /cluster is ready at / });
      return judgeCluster(stage, kubeconfig);
    },
  },
  {
    name: 'envtest',
    what: "controller-runtime's envtest with the programs of `cox envtest-assets`",
    async run(stage) {
      const assets = join(stage.folder, 'assets');
      await stage.run('cox-envtest-assets', [cox, 'envtest-assets', assets], 60_000);
      return testOperator(stage, assets);
    },
  },
  {
    name: 'their-components',
    what: 'kube-controller-manager and kube-scheduler against `cox apiserver`, by protobuf',
    async run(stage) {
      const controllerManager = await upstream('kube-controller-manager', 'KUBE_CONTROLLER_MANAGER');
      const scheduler = await upstream('kube-scheduler', 'KUBE_SCHEDULER');
      const server = await startOurs(stage, cox);
      await stage.start('kube-controller-manager', [controllerManager, ...controllerManagerFlags(server)]);
      await stage.start('kube-scheduler', [scheduler, ...schedulerFlags(server)]);
      await joinNodes(stage, server);
      return judgeCluster(stage, server.kubeconfig);
    },
  },
  {
    name: 'our-components',
    what: '`cox controller-manager` and `cox scheduler` against kube-apiserver and etcd',
    async run(stage) {
      const kubeApiserver = await upstream('kube-apiserver', 'KUBE_APISERVER');
      const server = await startTheirs(stage, kubeApiserver, await upstream('etcd', 'ETCD'));
      const controllers = [cox, 'controller-manager', ...controllerManagerFlags(server)];
      await stage.start('cox-controller-manager', controllers, { until: /controllers are running/ });
      const scheduler = [cox, 'scheduler', ...schedulerFlags(server)];
      await stage.start('cox-scheduler', scheduler, { until: /the scheduler is running/ });
      await joinNodes(stage, server);
      return judgeCluster(stage, server.kubeconfig);
    },
  },
];

/** Returns the path of a Kubernetes program: that in the environment variable, or that of a new build. */
async function upstream(name: Parameters<typeof buildUpstream>[0][number], variable: string): Promise<string> {
  return process.env[variable] || (await buildUpstream([name]))[name];
}
