import { readFile } from 'node:fs/promises';
import type { KubernetesObject } from '@coxswain/apimachinery';
import { recordLogs } from '@coxswain/apimachinery/log';
import { expect, it } from 'vitest';
import { type StartClusterOptions, startCluster, type TestCluster } from '../src/index.ts';
import { answeringNullLists } from './null-lists.test-data.ts';

const manifests = new URL('null-lists.manifests.yaml', import.meta.url);

interface Outcome {
  /** The state of the applied objects. */
  readonly settled: readonly string[];
  /** The remaining objects after a taint, and after the deletion of a namespace and a Deployment. */
  readonly left: readonly string[];
  /** The errors that only a bug in a component can cause. */
  readonly mistakes: readonly (string | undefined)[];
}

async function outcome(intercept?: StartClusterOptions['intercept']): Promise<Outcome> {
  const mistakes: (string | undefined)[] = [];
  const { logger } = recordLogs({
    onLine: (_, { error }) => {
      if (error instanceof TypeError) mistakes.push(error.stack);
    },
  });
  const now = '2030-01-01T00:00:30Z';
  await using cluster = await startCluster({ clock: 'frozen', now, logger, ...(intercept && { intercept }) });
  await cluster.apply(await readFile(manifests, 'utf8'));
  for (let minute = 0; minute < 2; minute++) await cluster.advance('1m');
  const settled = await summary(cluster);
  const { core, apps } = cluster.clients;
  const node = await core.v1.nodes().get('hollow-1');
  node.spec = { ...node.spec, taints: [{ key: 'gone', effect: 'NoExecute' }] };
  await core.v1.nodes().update(node);
  await core.v1.namespaces().delete('leaving');
  await apps.v1.deployments('default').delete('web', { propagationPolicy: 'Foreground' });
  for (let minute = 0; minute < 4; minute++) await cluster.advance('1m');
  const pods = (await core.v1.pods('default').list()).items;
  const running = pods.filter(({ status, spec }) => status?.phase === 'Running' && spec?.nodeName === 'hollow-1');
  const left = [
    ...(await core.v1.namespaces().list()).items.map(({ metadata }) => metadata.name ?? ''),
    ...(await apps.v1.deployments().list()).items.map(nameOf),
    ...(await apps.v1.replicaSets().list()).items.map(nameOf),
    ...running.map(nameOf),
  ];
  return { settled, left: left.sort(), mistakes };
}

/** Returns the state of each object, without the nodes of pods. */
async function summary({ clients }: TestCluster): Promise<string[]> {
  const { core, apps, batch, autoscaling, policy, discovery, rbac, resource } = clients;
  const lines = await Promise.all([
    stateOf(core.v1.pods().list(), ({ status }) => [
      status?.phase,
      status?.containerStatuses?.map(({ ready }) => ready),
    ]),
    stateOf(core.v1.persistentVolumeClaims().list(), ({ status }) => status?.phase),
    stateOf(core.v1.endpoints().list(), ({ subsets }) => subsets?.map(({ addresses }) => addresses?.length)),
    stateOf(core.v1.replicationControllers().list(), ({ status }) => status?.readyReplicas),
    stateOf(apps.v1.deployments().list(), ({ status }) => status?.availableReplicas),
    stateOf(apps.v1.statefulSets().list(), ({ status }) => status?.availableReplicas),
    stateOf(apps.v1.daemonSets().list(), ({ status }) => status?.numberAvailable),
    stateOf(batch.v1.jobs().list(), ({ status }) => [
      status?.succeeded,
      status?.failed,
      status?.conditions?.at(-1)?.type,
    ]),
    stateOf(batch.v1.cronJobs().list(), ({ status }) => status?.lastScheduleTime),
    stateOf(autoscaling.v2.horizontalPodAutoscalers().list(), ({ status }) => status?.desiredReplicas),
    stateOf(policy.v1.podDisruptionBudgets().list(), ({ status }) => [
      status?.currentHealthy,
      status?.disruptionsAllowed,
    ]),
    stateOf(discovery.v1.endpointSlices().list(), ({ endpoints, ports }) => [endpoints?.length, ports?.length]),
    stateOf(rbac.v1.clusterRoles().list({ fieldSelector: 'metadata.name=aggregated' }), ({ rules }) => rules),
    stateOf(resource.v1.resourceClaims().list(), ({ status }) => [
      status?.allocation !== undefined,
      status?.reservedFor?.length,
    ]),
  ]);
  return lines.flat();
}

async function stateOf<T extends KubernetesObject>(
  list: Promise<{ readonly kind?: string; readonly items: readonly T[] }>,
  state: (object: T) => unknown,
): Promise<string[]> {
  const { kind, items } = await list;
  return items.map((item) => `${kind} ${nameOf(item)}: ${JSON.stringify(state(item))}`).sort();
}

/** Returns the name without generated suffixes. */
const nameOf = ({ metadata }: KubernetesObject): string =>
  (metadata?.name ?? '').replace(/(-[bcdfghjklmnpqrstvwxz2456789]{5,10})+$/, '');

it('components behave the same with null for every unset list as without the field', async () => {
  const nulled = await outcome((transport, caller) => (caller === 'users' ? transport : answeringNullLists(transport)));
  expect(nulled.mistakes).toEqual([]);
  const usual = await outcome();
  expect(nulled.settled).toEqual(usual.settled);
  expect(nulled.left).toEqual(usual.left);
  expect(usual.left).toEqual(['default', 'everywhere', 'kube-node-lease', 'kube-public', 'kube-system']);
  expect(usual.settled).toContain('DeploymentList web: 3');
});
