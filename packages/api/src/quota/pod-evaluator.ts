import { GroupResource, type KubernetesObject, ownEntry, Quantity } from '@coxswain/apimachinery';
import type { FeatureGates } from '../features/feature-gates.ts';
import type { Pod, PodAffinityTerm } from '../generated/core/v1.ts';
import { specAmounts } from './container-amounts.ts';
import { type Evaluator, type Scope, selects } from './evaluator.ts';
import { asksAsAWhole, isUsedByPods, podUsage, quotaNames } from './pod-usage.ts';

/** Resources that every container must set when a quota limits them. Upstream does not require those that were added later. */
const demanded: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

const isTerminating = (pod: Pod | undefined): boolean => (pod?.spec?.activeDeadlineSeconds ?? -1) >= 0;

function isBestEffort({ spec, status }: Pod, podLevel: boolean): boolean {
  if (status?.qosClass) return status.qosClass === 'BestEffort';
  const whole = podLevel ? spec?.resources : undefined;
  const parts = whole
    ? [whole]
    : [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((c) => c.resources);
  return !parts.some((part) =>
    [part?.requests, part?.limits].some((list) =>
      ['cpu', 'memory'].some((name) => Quantity.parse(ownEntry(list, name) ?? '0').sign() > 0),
    ),
  );
}

function usesCrossNamespaceAffinity({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const isCrossing = ({ namespaces, namespaceSelector }: PodAffinityTerm): boolean =>
    (namespaces?.length ?? 0) > 0 || namespaceSelector !== undefined;
  return [podAffinity, podAntiAffinity].some(
    (affinity) =>
      affinity?.requiredDuringSchedulingIgnoredDuringExecution?.some(isCrossing) ||
      affinity?.preferredDuringSchedulingIgnoredDuringExecution?.some((term) => isCrossing(term.podAffinityTerm)),
  );
}

type InScope = (pod: Pod, scope: Scope, podLevel: boolean) => boolean;

/** The scopes that pods can be in. */
const scopes: ReadonlyMap<string, InScope> = new Map<string, InScope>([
  ['Terminating', isTerminating],
  ['NotTerminating', (pod) => !isTerminating(pod)],
  ['BestEffort', (pod, _, podLevel) => isBestEffort(pod, podLevel)],
  ['NotBestEffort', (pod, _, podLevel) => !isBestEffort(pod, podLevel)],
  ['PriorityClass', ({ spec }, scope) => selects(scope, spec?.priorityClassName ? [spec.priorityClassName] : [])],
  ['CrossNamespacePodAffinity', usesCrossNamespaceAffinity],
]);

function missingOf(pod: Pod, names: readonly string[]): string | undefined {
  const required = names.filter((name) => demanded.has(name)).sort();
  if (required.length === 0) return undefined;
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].map((container) => ({
    name: container.name,
    asked: quotaNames(specAmounts('requests')(container), specAmounts('limits')(container)),
  }));
  const lacks = required.flatMap((name) => {
    const without = new Set(containers.filter(({ asked }) => !asked.has(name)).map((container) => container.name));
    return without.size > 0 ? [`${name} for: ${[...without].sort().join(',')}`] : [];
  });
  return lacks.length > 0 ? `must specify ${lacks.join('; ')}` : undefined;
}

/** Returns the evaluator of pods, which have compute resources and are counted. */
export function podEvaluator(features: FeatureGates, now: () => Date): Evaluator {
  const podLevel = features.enabled('PodLevelResources');
  return {
    groupResource: GroupResource.of('', 'pods'),
    handles({ operation, subresource, object, oldObject }) {
      if (subresource === 'resize') return operation === 'UPDATE';
      if (subresource !== '') return false;
      return (
        operation === 'CREATE' ||
        (operation === 'UPDATE' && isTerminating(object as Pod) !== isTerminating(oldObject as Pod))
      );
    },
    measures: isUsedByPods,
    usage: (object: KubernetesObject) => podUsage(object as Pod, now(), podLevel),
    isInScope: (scope, object) => scopes.get(scope.scopeName)?.(object as Pod, scope, podLevel) ?? false,
    missing: (names, object) => (podLevel && asksAsAWhole(object as Pod) ? undefined : missingOf(object as Pod, names)),
  };
}
