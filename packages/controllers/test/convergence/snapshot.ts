import type { KubernetesList, KubernetesObject } from '@coxswain/apimachinery/meta';
import { getControllerOf } from '@coxswain/apimachinery/meta';
import type { ClientSet } from '@coxswain/client';

const itemsOf = async <T extends KubernetesObject>(list: Promise<KubernetesList<T>>): Promise<readonly T[]> =>
  (await list).items;

/** Returns all objects that the tests or the controllers create, by kind. */
export async function snapshotOf({ core, apps, batch, discovery, policy, autoscaling }: ClientSet) {
  return {
    nodes: await itemsOf(core.v1.nodes().list()),
    namespaces: await itemsOf(core.v1.namespaces().list()),
    pods: await itemsOf(core.v1.pods().list()),
    services: await itemsOf(core.v1.services().list()),
    endpoints: await itemsOf(core.v1.endpoints().list()),
    configMaps: await itemsOf(core.v1.configMaps().list()),
    serviceAccounts: await itemsOf(core.v1.serviceAccounts().list()),
    quotas: await itemsOf(core.v1.resourceQuotas().list()),
    volumes: await itemsOf(core.v1.persistentVolumes().list()),
    claims: await itemsOf(core.v1.persistentVolumeClaims().list()),
    deployments: await itemsOf(apps.v1.deployments().list()),
    replicaSets: await itemsOf(apps.v1.replicaSets().list()),
    statefulSets: await itemsOf(apps.v1.statefulSets().list()),
    daemonSets: await itemsOf(apps.v1.daemonSets().list()),
    revisions: await itemsOf(apps.v1.controllerRevisions().list()),
    jobs: await itemsOf(batch.v1.jobs().list()),
    cronJobs: await itemsOf(batch.v1.cronJobs().list()),
    slices: await itemsOf(discovery.v1.endpointSlices().list()),
    budgets: await itemsOf(policy.v1.podDisruptionBudgets().list()),
    autoscalers: await itemsOf(autoscaling.v2.horizontalPodAutoscalers().list()),
  };
}

export type Snapshot = Awaited<ReturnType<typeof snapshotOf>>;

/** Returns the objects whose controller is the owner. */
export const ownedBy = <T extends KubernetesObject>(objects: readonly T[], owner: KubernetesObject): T[] =>
  objects.filter((object) => getControllerOf(object)?.uid === owner.metadata?.uid);

/** Returns the objects in the same namespace as the given one. */
export const besides = <T extends KubernetesObject>(objects: readonly T[], { metadata }: KubernetesObject): T[] =>
  objects.filter((object) => object.metadata?.namespace === metadata?.namespace);

/** Returns a message for each field that differs. Absent fields count as 0. */
export function differences(
  what: string,
  found: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys(wanted).flatMap((key) => {
    const [is, should] = [JSON.stringify(found[key] ?? 0), JSON.stringify(wanted[key] ?? 0)];
    return is === should ? [] : [`${what}: ${key} is ${is}, not ${should}`];
  });
}
