import { isPodReady, isPodTerminal } from '@coxswain/component-helpers';
import { besides, differences, type Snapshot } from './snapshot.ts';

/** Checks the statuses of budgets, quotas, autoscalers, volumes, nodes and namespaces. */
export function problemsOfPolicies(snapshot: Snapshot): string[] {
  return [
    ...problemsOfBudgets(snapshot),
    ...problemsOfQuotas(snapshot),
    ...problemsOfAutoscalers(snapshot),
    ...problemsOfVolumes(snapshot),
    ...problemsOfNodes(snapshot),
    ...problemsOfNamespaces(snapshot),
  ];
}

function problemsOfBudgets({ budgets, pods }: Snapshot): string[] {
  return budgets.flatMap((budget) => {
    const chosen = besides(pods, budget).filter(({ metadata }) => metadata.labels?.app === 'web');
    const currentHealthy = chosen.filter(isPodReady).length;
    const desiredHealthy = Number(budget.spec?.minAvailable);
    return differences(
      `PodDisruptionBudget ${budget.metadata.namespace}`,
      { ...budget.status },
      {
        observedGeneration: budget.metadata.generation,
        expectedPods: chosen.length,
        currentHealthy,
        desiredHealthy,
        disruptionsAllowed: chosen.length === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy),
        disruptedPods: 0,
      },
    );
  });
}

function problemsOfQuotas({ quotas, pods, services, replicaSets }: Snapshot): string[] {
  return quotas.flatMap((quota) => {
    const used = {
      pods: String(besides(pods, quota).filter((pod) => !isPodTerminal(pod)).length),
      services: String(besides(services, quota).length),
      'count/replicasets.apps': String(besides(replicaSets, quota).length),
    };
    const name = `ResourceQuota ${quota.metadata.namespace}`;
    return [
      ...differences(`${name} used`, { ...quota.status?.used }, used),
      ...differences(`${name} hard`, { ...quota.status?.hard }, { ...quota.spec?.hard }),
    ];
  });
}

/** Without metrics only the limits are enforced, and with zero replicas not even these. */
function problemsOfAutoscalers({ autoscalers, deployments }: Snapshot): string[] {
  return autoscalers.flatMap((autoscaler) => {
    const name = `HorizontalPodAutoscaler ${autoscaler.metadata.namespace}`;
    const [deployment] = besides(deployments, autoscaler);
    const { minReplicas = 1, maxReplicas } = autoscaler.spec!;
    const replicas = deployment?.spec?.replicas ?? 0;
    const findings = (autoscaler.status?.conditions ?? []).map(
      ({ type, status, reason }) => `${type} ${status} ${reason}`,
    );
    if (!deployment) return differences(name, { findings }, { findings: ['AbleToScale False FailedGetScale'] });
    if (replicas === 0) {
      const wanted = ['AbleToScale True SucceededGetScale', 'ScalingActive False ScalingDisabled'];
      return wanted.every((finding) => findings.includes(finding)) ? [] : [`${name}: ${findings}`];
    }
    return replicas < minReplicas || replicas > maxReplicas ? [`${name} allows ${replicas} replicas`] : [];
  });
}

function problemsOfVolumes({ volumes, claims }: Snapshot): string[] {
  return [
    ...volumes.flatMap(({ metadata, spec, status }) => {
      const claim = claims.find(({ metadata }) => metadata.uid === spec?.claimRef?.uid);
      const phase = claim ? 'Bound' : spec?.claimRef ? 'Released' : 'Available';
      return [
        ...differences(`PersistentVolume ${metadata.name}`, { phase: status?.phase }, { phase }),
        ...(metadata.deletionTimestamp && !claim ? [`PersistentVolume ${metadata.name} is not deleted`] : []),
        ...(claim ? differences(`claim of ${metadata.name}`, { ...claim.spec }, { volumeName: metadata.name }) : []),
      ];
    }),
    ...claims.flatMap(({ metadata, spec, status }) => {
      const volume = volumes.find(({ metadata }) => metadata.name === spec?.volumeName);
      const phase = volume ? 'Bound' : spec?.volumeName ? 'Lost' : 'Pending';
      return differences(`PersistentVolumeClaim ${metadata.namespace}/${metadata.name}`, { ...status }, { phase });
    }),
  ];
}

function problemsOfNodes({ nodes }: Snapshot): string[] {
  return nodes.flatMap(({ metadata, spec, status }) =>
    differences(
      `Node ${metadata.name}`,
      { taints: spec?.taints, ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status },
      { taints: 0, ready: 'True' },
    ),
  );
}

function problemsOfNamespaces({ namespaces, serviceAccounts, configMaps }: Snapshot): string[] {
  return namespaces.flatMap(({ metadata: { name }, status }) => {
    const has = (objects: readonly { metadata: { name?: string; namespace?: string } }[], wanted: string): boolean =>
      objects.some(({ metadata }) => metadata.namespace === name && metadata.name === wanted);
    return differences(
      `Namespace ${name}`,
      { phase: status?.phase, account: has(serviceAccounts, 'default'), ca: has(configMaps, 'kube-root-ca.crt') },
      { phase: 'Active', account: true, ca: true },
    );
  });
}
