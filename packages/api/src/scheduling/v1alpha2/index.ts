import { type ErrorList, invalid, Path, validateConditions } from '@coxswain/apimachinery';
import type { FeatureName } from '../../features/feature-gates.ts';
import type { PodGroup, PodGroupTemplate, Workload } from '../../generated/scheduling/v1alpha2.ts';
import { validateDeclaratively } from '../../strategy/declarative.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { GroupVersionBehaviour, Strategy, StrategyContext } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { podGroupRules, workloadRules } from './rules.ts';

type Gated = Pick<
  PodGroupTemplate,
  'schedulingConstraints' | 'resourceClaims' | 'disruptionMode' | 'priorityClassName' | 'priority'
>;

const gates: Readonly<Record<keyof Gated, FeatureName>> = {
  schedulingConstraints: 'TopologyAwareWorkloadScheduling',
  resourceClaims: 'DRAWorkloadResourceClaims',
  disruptionMode: 'WorkloadAwarePreemption',
  priorityClassName: 'WorkloadAwarePreemption',
  priority: 'WorkloadAwarePreemption',
};

/** Returns a copy without the fields of disabled features, unless the old object has them. */
function withoutDisabled<T extends Gated>(spec: T, old: Gated | undefined, { features }: StrategyContext): T {
  const kept = Object.entries(spec).filter(([name]) => {
    if (!Object.hasOwn(gates, name)) return true;
    const field = name as keyof Gated;
    return features.enabled(gates[field]) || (old?.[field] ?? undefined) !== undefined;
  });
  return Object.fromEntries(kept) as T;
}

function prepareWorkload(workload: Workload, old: Workload | undefined, context: StrategyContext): void {
  const templates = workload.spec.podGroupTemplates?.map((template, i) =>
    withoutDisabled(template, old?.spec.podGroupTemplates?.[i], context),
  );
  if (templates) workload.spec = { ...workload.spec, podGroupTemplates: templates };
}

const workloadStrategy: Strategy<Workload> = {
  prepareForCreate: (workload, context) => prepareWorkload(workload, undefined, context),
  prepareForUpdate: prepareWorkload,
  validate: (workload, { features }) => validateDeclaratively(workload, undefined, workloadRules, features),
  validateUpdate: (workload, old, { features }) => validateDeclaratively(workload, old, workloadRules, features),
  table: {
    columns: columns('Name', 'Age'),
    row: ({ metadata }, context) => [metadata.name ?? '', translateTimestampSince(metadata.creationTimestamp, context)],
  },
};

function validatePodGroupStatus(group: PodGroup, old: PodGroup, { features }: StrategyContext): ErrorList {
  const path = Path.of('status');
  const errors = validateConditions(group.status?.conditions, path.child('conditions'));
  const claims = group.spec.resourceClaims ?? [];
  group.status?.resourceClaimStatuses?.forEach(({ name }, i) => {
    if (claims.some((claim) => claim.name === name)) return;
    const detail = 'must match the name of an entry in `spec.resourceClaims`';
    errors.push(invalid(path.child('resourceClaimStatuses').index(i).child('name'), name, detail));
  });
  return [...errors, ...validateDeclaratively(group, old, podGroupRules, features)];
}

function groupState({ status }: PodGroup): string {
  const find = (wanted: string) => status?.conditions?.findLast(({ type }) => type === wanted);
  const disruption = find('DisruptionTarget');
  const scheduled = find('PodGroupScheduled');
  if (disruption) return disruption.reason;
  if (!scheduled) return 'Pending';
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable';
}

const podGroupStrategy: Strategy<PodGroup> = {
  prepareForCreate: (group, context) => {
    group.spec = withoutDisabled(group.spec, undefined, context);
  },
  prepareForUpdate: (group, old, context) => {
    group.spec = withoutDisabled(group.spec, old.spec, context);
  },
  validate: (group, { features }) => validateDeclaratively(group, undefined, podGroupRules, features),
  validateUpdate: (group, old, { features }) => validateDeclaratively(group, old, podGroupRules, features),
  subresources: {
    status: {
      owns: ['status'],
      metadata: 'none',
      prepareForUpdate: (group, old, { features }) => {
        if (features.enabled('DRAWorkloadResourceClaims') || old.spec.resourceClaims?.length) return;
        const { resourceClaimStatuses: _, ...status } = group.status ?? {};
        group.status = status;
      },
      validateUpdate: validatePodGroupStatus,
    },
  },
  table: {
    columns: columns('Name', 'Policy', 'Workload', 'Status', 'Age'),
    row: (group, context) => [
      group.metadata.name ?? '',
      group.spec.schedulingPolicy?.gang ? 'Gang' : 'Basic',
      group.spec.podGroupTemplateRef?.workload?.workloadName ?? '<none>',
      groupState(group),
      translateTimestampSince(group.metadata.creationTimestamp, context),
    ],
  },
};

export const behaviour: GroupVersionBehaviour = {
  group: 'scheduling.k8s.io',
  version: 'v1alpha2',
  defaults: {
    PodGroup: (group: PodGroup): void => {
      group.spec.disruptionMode ??= 'Pod';
    },
  },
  strategies: { Workload: workloadStrategy, PodGroup: podGroupStrategy },
};
