import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { containerdProblem } from '@coxswain/cri/testing';
import { buildUpstream } from '../conformance/build.ts';
import { type ApiServer, joinNodes, startOurs, startTheirs } from './api-servers.ts';
import { controllerManagerFlags, schedulerFlags } from './components.ts';
import { judgeCluster, judgeNode, testOperator } from './go-programs.ts';
import { joinFlags } from './node-authority.ts';
import { startNode } from './nodes.ts';
import type { Stage } from './stage.ts';
import type { Verdict } from './verdict.ts';

const cox = fileURLToPath(new URL('../../packages/cli/bin/cox.js', import.meta.url));

/** A combination of upstream's programs and ours. */
export interface Direction {
  readonly name: string;
  readonly what: string;
  /** Returns why it is not possible on this machine; undefined if it is. */
  problem?(): Promise<string | undefined>;
  run(stage: Stage): Promise<readonly Verdict[]>;
}

export const directions: readonly Direction[] = [
  {
    name: 'client-go',
    what: 'client-go against `cox up`',
    async run(stage) {
      const kubeconfig = join(stage.folder, 'kubeconfig');
      const place = ['--memory', '--port=0', `--data-dir=${stage.folder}`, `--kubeconfig=${kubeconfig}`];
      await stage.start('cox-up', [cox, 'up', '--runtime=hollow', ...place], { until: /cluster is ready at / });
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
      await startOurComponents(stage, server);
      await joinNodes(stage, server);
      return judgeCluster(stage, server.kubeconfig);
    },
  },
  {
    name: 'their-kubelet',
    what: 'kubelet, on containerd, against `cox apiserver`, `cox controller-manager` and `cox scheduler`',
    problem: containerdProblem,
    async run(stage) {
      const kubelet = await upstream('kubelet', 'KUBELET');
      const server = await startOurs(stage, cox, joinFlags);
      await startOurComponents(stage, server);
      return judgeNode(stage, server.kubeconfig, await startNode(stage, server, [kubelet]));
    },
  },
  {
    name: 'our-kubelet',
    what: '`cox kubelet`, on containerd, against kube-apiserver, etcd, kube-controller-manager and kube-scheduler',
    problem: containerdProblem,
    async run(stage) {
      const kubeApiserver = await upstream('kube-apiserver', 'KUBE_APISERVER');
      const controllerManager = await upstream('kube-controller-manager', 'KUBE_CONTROLLER_MANAGER');
      const scheduler = await upstream('kube-scheduler', 'KUBE_SCHEDULER');
      const server = await startTheirs(stage, kubeApiserver, await upstream('etcd', 'ETCD'));
      await stage.start('kube-controller-manager', [controllerManager, ...controllerManagerFlags(server)]);
      await stage.start('kube-scheduler', [scheduler, ...schedulerFlags(server)]);
      return judgeNode(stage, server.kubeconfig, await startNode(stage, server, [cox, 'kubelet']));
    },
  },
];

async function startOurComponents(stage: Stage, server: ApiServer): Promise<void> {
  const controllers = [cox, 'controller-manager', ...controllerManagerFlags(server)];
  await stage.start('cox-controller-manager', controllers, { until: /controllers are running/ });
  const scheduler = [cox, 'scheduler', ...schedulerFlags(server)];
  await stage.start('cox-scheduler', scheduler, { until: /the scheduler is running/ });
}

/** Returns the path of a Kubernetes program: that in the environment variable, or that of a new build. */
async function upstream(name: Parameters<typeof buildUpstream>[0][number], variable: string): Promise<string> {
  return process.env[variable] || (await buildUpstream([name]))[name];
}
