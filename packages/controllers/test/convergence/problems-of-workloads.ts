import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@coxswain/api/apps/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { getControllerOf, type KubernetesObject } from '@coxswain/apimachinery/meta';
import { isPodActive, isPodReady } from '@coxswain/component-helpers';
import { besides, differences, ownedBy, type Snapshot } from './snapshot.ts';

const imageOf = (template: { readonly spec?: Pod['spec'] } | undefined): string =>
  template?.spec?.containers[0]?.image ?? '';
const nameOf = (kind: string, { metadata }: KubernetesObject): string =>
  `${kind} ${metadata?.namespace}/${metadata?.name}`;
const byName = (a: Pod, b: Pod): number => (a.metadata.name! < b.metadata.name! ? -1 : 1);

/** Checks that workloads have the desired pods and the right statuses. */
export function problemsOfWorkloads(snapshot: Snapshot): string[] {
  return [
    ...snapshot.deployments.flatMap((each) => problemsOfDeployment(each, snapshot)),
    ...snapshot.replicaSets.flatMap((each) => problemsOfReplicaSet(each, snapshot)),
    ...snapshot.statefulSets.flatMap((each) => problemsOfStatefulSet(each, snapshot)),
    ...snapshot.daemonSets.flatMap((each) => problemsOfDaemonSet(each, snapshot)),
    ...problemsOfStrays(snapshot),
  ];
}

/** Returns the number of pods, how many are ready, and their images. */
function countsOf(pods: readonly Pod[]): { count: number; ready: number; images: string[] } {
  const images = [...new Set(pods.map(imageOf))];
  return { count: pods.length, ready: pods.filter(isPodReady).length, images };
}

function problemsOfDeployment(deployment: Deployment, { replicaSets, pods }: Snapshot): string[] {
  const name = nameOf('Deployment', deployment);
  const { replicas = 0, template, revisionHistoryLimit = 0 } = deployment.spec!;
  const sets = ownedBy(replicaSets, deployment);
  const current = sets.filter(({ spec }) => imageOf(spec!.template) === imageOf(template));
  const active = sets.flatMap((set) => ownedBy(pods, set)).filter(isPodActive);
  const { conditions = [], ...status } = deployment.status ?? {};
  const findings = conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort();
  return [
    ...differences(
      name,
      {
        ...countsOf(active),
        'sets of its template': current.length,
        'size of the set': current[0]?.spec?.replicas,
        'other sets with pods': sets.filter((set) => !current.includes(set) && set.spec!.replicas! > 0).length,
        findings,
      },
      {
        count: replicas,
        ready: replicas,
        images: replicas > 0 ? [imageOf(template)] : [],
        'sets of its template': 1,
        'size of the set': replicas,
        'other sets with pods': 0,
        findings: ['Available True MinimumReplicasAvailable', 'Progressing True NewReplicaSetAvailable'],
      },
    ),
    ...differences(name, status as Record<string, unknown>, {
      observedGeneration: deployment.metadata.generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      unavailableReplicas: 0,
    }),
    ...(sets.length - 1 > revisionHistoryLimit ? [`${name} keeps ${sets.length - 1} old sets`] : []),
  ];
}

function problemsOfReplicaSet(set: ReplicaSet, { pods }: Snapshot): string[] {
  const name = nameOf('ReplicaSet', set);
  const { replicas, template } = set.spec!;
  const owned = ownedBy(pods, set).filter(isPodActive);
  return [
    ...differences(
      name,
      { ...countsOf(owned) },
      { count: replicas, ready: replicas, images: replicas ? [imageOf(template)] : [] },
    ),
    ...differences(
      name,
      { ...set.status },
      {
        observedGeneration: set.metadata.generation,
        replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
        fullyLabeledReplicas: replicas,
        conditions: 0,
      },
    ),
  ];
}

function problemsOfStatefulSet(set: StatefulSet, { pods, claims }: Snapshot): string[] {
  const name = nameOf('StatefulSet', set);
  const { replicas = 0, template, volumeClaimTemplates = [] } = set.spec!;
  const owned = ownedBy(pods, set).sort(byName);
  const names = Array.from({ length: replicas }, (_, i) => `${set.metadata.name}-${i}`);
  const claimed = besides(claims, set).map(({ metadata }) => metadata.name);
  const missing = names.filter(
    (pod) => !volumeClaimTemplates.every((claim) => claimed.includes(`${claim.metadata?.name}-${pod}`)),
  );
  const { currentRevision, updateRevision, ...status } = set.status ?? {};
  return [
    ...differences(
      name,
      { ...countsOf(owned), pods: owned.map(({ metadata }) => metadata.name), 'without claims': missing },
      {
        count: replicas,
        ready: replicas,
        images: replicas > 0 ? [imageOf(template)] : [],
        pods: names,
        'without claims': [],
      },
    ),
    ...differences(name, { ...status, currentRevision } as Record<string, unknown>, {
      observedGeneration: set.metadata.generation,
      replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      currentReplicas: replicas,
      updatedReplicas: replicas,
      currentRevision: updateRevision,
    }),
  ];
}

function problemsOfDaemonSet(set: DaemonSet, { pods, nodes }: Snapshot): string[] {
  const name = nameOf('DaemonSet', set);
  const owned = ownedBy(pods, set);
  const where = owned.map(({ spec }) => spec?.nodeName ?? '').sort();
  const count = nodes.length;
  return [
    ...differences(
      name,
      { ...countsOf(owned), nodes: where },
      {
        count,
        ready: count,
        images: [imageOf(set.spec!.template)],
        nodes: nodes.map(({ metadata }) => metadata.name).sort(),
      },
    ),
    ...differences(
      name,
      { ...set.status },
      {
        observedGeneration: set.metadata.generation,
        desiredNumberScheduled: count,
        currentNumberScheduled: count,
        numberMisscheduled: 0,
        numberReady: count,
        updatedNumberScheduled: count,
        numberAvailable: count,
        numberUnavailable: 0,
      },
    ),
  ];
}

/** Finds objects without a controller that the selector of an owner matches. */
function problemsOfStrays(snapshot: Snapshot): string[] {
  const { pods, replicaSets, deployments, statefulSets, daemonSets } = snapshot;
  const owners = [...deployments, ...replicaSets, ...statefulSets, ...daemonSets];
  const wanted = (object: KubernetesObject, by: readonly (typeof owners)[number][]): boolean =>
    besides(by, object).some(({ spec }) => {
      const labels = Object.entries(spec?.selector?.matchLabels ?? {});
      return labels.every(([key, value]) => object.metadata?.labels?.[key] === value);
    });
  return [
    ...pods
      .filter((pod) => isPodActive(pod) && !getControllerOf(pod))
      .filter((pod) => wanted(pod, [...replicaSets, ...statefulSets, ...daemonSets]))
      .map((pod) => `${nameOf('Pod', pod)} has no controller`),
    ...replicaSets
      .filter((set) => !getControllerOf(set) && wanted(set, deployments))
      .map((set) => `${nameOf('ReplicaSet', set)} has no controller`),
  ];
}
