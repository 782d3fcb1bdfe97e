import {
  cloneJson,
  getWarningsForIP,
  isDns1123Label,
  jsonEquals,
  type LabelSelector,
  Path,
} from '@coxswain/apimachinery';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { Pod, PodSpec } from '../../../generated/core/v1.ts';
import type { Strategy, StrategyContext } from '../../../strategy/strategy.ts';
import { allContainers, emptyPodSpec } from './containers.ts';
import { dropDisabledPodFields } from './drop-disabled-fields.ts';
import { appArmorAnnotationPrefix, appArmorProfileOfAnnotation } from './pod-annotations.ts';
import { validatePodStatusUpdate } from './pod-status.ts';
import { podTable } from './pod-table.ts';
import { validatePodCreate } from './pod-validation.ts';
import { computePodQOS } from './resources/pod-qos.ts';
import { podAffinityTerms } from './scheduling/affinity.ts';
import { validateAppArmorProfile } from './security/security-context.ts';
import { validateEphemeralContainersUpdate } from './update/pod-ephemeral-containers.ts';
import { resizedSpec, validatePodResize } from './update/pod-resize.ts';
import { validatePodUpdate } from './update/pod-update.ts';
import { samePodSpec } from './update/same-pod-spec.ts';
import { type PodValidationOptions, podValidationOptions } from './validation-options.ts';
import { appArmorDeprecation, podWarnings } from './warnings/warnings.ts';

const annotationsPath = Path.of('metadata', 'annotations');

const optionsFor = (context: StrategyContext, old?: Pod): PodValidationOptions =>
  podValidationOptions(context, old?.spec, old?.metadata, true);

/** The condition that a pod with scheduling gates has from its creation. */
const gatedCondition = (now: Date) => ({
  type: 'PodScheduled',
  status: 'False',
  lastTransitionTime: timeFromDate(now),
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

/** Adds requirements for `matchLabelKeys` and `mismatchLabelKeys` to the selectors, with the values of the pod's labels. */
function mergeLabelKeys(pod: Pod, { features }: StrategyContext): void {
  const labels = pod.metadata.labels ?? {};
  const merge = (
    selector: LabelSelector | undefined,
    keys: readonly string[] | undefined,
    operator: 'In' | 'NotIn',
  ) => {
    if (!selector) return;
    const added = (keys ?? [])
      .filter((key) => Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [labels[key]!] }));
    if (added.length > 0) selector.matchExpressions = [...(selector.matchExpressions ?? []), ...added];
  };
  for (const { labelSelector, matchLabelKeys, mismatchLabelKeys } of podAffinityTerms(pod.spec?.affinity)) {
    merge(labelSelector, matchLabelKeys, 'In');
    merge(labelSelector, mismatchLabelKeys, 'NotIn');
  }
  if (
    features.enabled('MatchLabelKeysInPodTopologySpread') &&
    features.enabled('MatchLabelKeysInPodTopologySpreadSelectorMerge')
  )
    for (const { labelSelector, matchLabelKeys } of pod.spec?.topologySpreadConstraints ?? [])
      merge(labelSelector, matchLabelKeys, 'In');
}

/**
 * Copies AppArmor profiles from annotations to containers without the field. Returns the annotations that are not
 * expressed by fields, for warnings.
 */
function syncAppArmor(pod: Pod, spec: PodSpec): string[] {
  const { annotations } = pod.metadata;
  if (!annotations || spec.os?.name === 'windows') return [];
  const undeclared: string[] = [];
  for (const container of allContainers(spec)) {
    const key = appArmorAnnotationPrefix + (container.name ?? '');
    if (!Object.hasOwn(annotations, key) || container.securityContext?.appArmorProfile) continue;
    const profile = appArmorProfileOfAnnotation(annotations[key]!);
    if (!profile || validateAppArmorProfile(profile, annotationsPath).length > 0) undeclared.push(key);
    else if (!jsonEquals(profile, spec.securityContext?.appArmorProfile)) {
      container.securityContext = { ...container.securityContext, appArmorProfile: profile };
      undeclared.push(key);
    }
  }
  return undeclared;
}

/** Restores missing observedGenerations, so that kubelets that do not know the field do not clear it. */
function keepObservedGenerations(pod: Pod, old: Pod): void {
  const status = pod.status!;
  const oldStatus = old.status ?? {};
  if (!status.observedGeneration && oldStatus.observedGeneration)
    status.observedGeneration = oldStatus.observedGeneration;
  const earlier = [...(oldStatus.conditions ?? [])];
  for (const condition of status.conditions ?? []) {
    const i = earlier.findIndex(({ type }) => type === condition.type);
    const [before] = i < 0 ? [] : earlier.splice(i, 1);
    if (!condition.observedGeneration && before?.observedGeneration)
      condition.observedGeneration = before.observedGeneration;
  }
}

const address = ({ status }: Pod): string => status?.podIPs?.[0]?.ip ?? '';

/** The strategy of pods. */
export const podStrategy: Strategy<Pod> = {
  generation: (pod, old) => !samePodSpec(pod.spec ?? emptyPodSpec, old.spec ?? emptyPodSpec),
  prepareForCreate: (pod, context) => {
    const spec = pod.spec ?? emptyPodSpec;
    pod.status = {
      phase: 'Pending',
      qosClass: computePodQOS(spec, context.features.enabled('PodLevelResources')),
    };
    dropDisabledPodFields(pod, undefined, context.features);
    if ((spec.schedulingGates ?? []).length > 0) pod.status.conditions = [gatedCondition(context.now())];
    mergeLabelKeys(pod, context);
    for (const key of syncAppArmor(pod, spec)) context.warn?.(appArmorDeprecation(annotationsPath.key(key)));
  },
  prepareForUpdate: (pod, old, { features }) => dropDisabledPodFields(pod, old, features),
  validate: (pod, context) => validatePodCreate(pod, optionsFor(context)),
  validateUpdate: (pod, old, context) => validatePodUpdate(pod, old, optionsFor(context, old)),
  warningsOnCreate: (pod, { features }) => {
    const messages = isDns1123Label(pod.metadata.name ?? '');
    return [
      ...(messages.length > 0
        ? [
            `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${messages.join(' ')}]`,
          ]
        : []),
      ...podWarnings(pod, features),
    ];
  },
  subresources: {
    status: {
      owns: ['status'],
      prepareForUpdate: (pod, old, { features }) => {
        const { deletionTimestamp: _, ownerReferences: __, ...metadata } = pod.metadata;
        const { deletionTimestamp, ownerReferences } = old.metadata;
        pod.metadata = {
          ...metadata,
          ...(deletionTimestamp !== undefined && { deletionTimestamp }),
          ...(ownerReferences && { ownerReferences }),
        };
        pod.status = cloneJson(pod.status ?? {});
        if (!pod.status.qosClass && old.status?.qosClass) pod.status.qosClass = old.status.qosClass;
        keepObservedGenerations(pod, old);
        dropDisabledPodFields(pod, old, features);
      },
      validateUpdate: (pod, old, context) => validatePodStatusUpdate(pod, old, optionsFor(context, old)),
      warningsOnUpdate: ({ status }) =>
        (['podIPs', 'hostIPs'] as const).flatMap((field) =>
          (status?.[field] ?? []).flatMap(({ ip }, i) =>
            getWarningsForIP(Path.of('status', field).index(i).child('ip'), ip),
          ),
        ),
    },
    ephemeralcontainers: {
      owns: [],
      takes: ['spec.ephemeralContainers'],
      metadata: 'none',
      prepareForUpdate: (pod, old, { features }) => dropDisabledPodFields(pod, old, features),
      validateUpdate: (pod, old, context) => validateEphemeralContainersUpdate(pod, old, optionsFor(context, old)),
    },
    resize: {
      owns: [],
      takes: ['spec'],
      metadata: 'none',
      prepareForUpdate: (pod, old, { features }) => {
        pod.spec = resizedSpec(pod.spec ?? emptyPodSpec, old.spec ?? emptyPodSpec, features);
        dropDisabledPodFields(pod, old, features);
      },
      validateUpdate: (pod, old, context) => validatePodResize(pod, old, optionsFor(context, old)),
    },
  },
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec?.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec?.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec?.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec?.hostNetwork ?? false),
    'status.phase': ({ status }) => status?.phase ?? '',
    'status.podIP': address,
    // Upstream accepts this label, but no pod matches it.
    'status.podIPs': () => '',
    'status.nominatedNodeName': ({ status }) => status?.nominatedNodeName ?? '',
    // A legacy name for spec.nodeName.
    'spec.host': ({ spec }) => spec?.nodeName ?? '',
  },
  table: podTable,
};
