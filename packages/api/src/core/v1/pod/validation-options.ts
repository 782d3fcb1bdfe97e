import { isValidLabelValue, type ObjectMeta, Path, Quantity, validateLabelSelector } from '@coxswain/apimachinery';
import type { FeatureGates } from '../../../features/feature-gates.ts';
import type { PodSpec, PodTemplateSpec } from '../../../generated/core/v1.ts';
import type { StrategyContext } from '../../../strategy/strategy.ts';
import { isHugePageResourceName, isHugePageValueDivisible } from '../resources/resource-name.ts';
import type { ResourceList } from '../resources/resource-requirements.ts';
import { validateLocalNonReservedPath } from '../volume/path-rules.ts';
import { containersOf, regularAndInitContainers, someContainer } from './containers.ts';
import { deletionCostIsValid } from './pod-annotations.ts';
import { isRestartableInitContainer } from './resources/pod-resources.ts';
import { podAffinityTerms, validatePodAffinityTermSelector } from './scheduling/affinity.ts';
import { validateLegacyMatchLabelKeys, validateMatchLabelKeys } from './scheduling/topology-spread.ts';
import { hostSysctlConflict } from './security/security-context.ts';

/**
 * Exceptions from the rules: because a feature is on, or because the old object already had such values and must stay
 * updatable.
 */
export interface PodValidationOptions {
  readonly features: FeatureGates;
  /** The spec is that of a pod, not of a template. */
  readonly resourceIsPod: boolean;
  /** Whether the cluster allows privileged containers: `--allow-privileged`. */
  readonly allowPrivileged: boolean;
  readonly allowInvalidPodDeletionCost: boolean;
  readonly allowInvalidLabelValueInSelector: boolean;
  readonly allowInvalidLabelValueInRequiredNodeAffinity: boolean;
  readonly allowIndivisibleHugePagesValues: boolean;
  readonly allowInvalidTopologySpreadConstraintLabelSelector: boolean;
  /** The rules of `matchLabelKeys` before v1.34 apply. */
  readonly legacyMatchLabelKeys: boolean;
  readonly allowNonLocalProjectedTokenPath: boolean;
  readonly allowNamespacedSysctlsForHostNetAndHostIPC: boolean;
  readonly allowOnlyRecursiveSELinuxChangePolicy: boolean;
  readonly allowExistingRestartContainerForNonSidecarInitContainer: boolean;
  readonly allowUserNamespacesWithVolumeDevices: boolean;
  readonly allowUserNamespacesHostNetworkSupport: boolean;
  readonly allowTaintTolerationComparisonOperators: boolean;
  readonly allowContainerRestartPolicyRules: boolean;
  readonly allowRestartAllContainers: boolean;
  readonly allowEnvFiles: boolean;
}

const nowhere = Path.of('');

type Cluster = Pick<StrategyContext, 'features' | 'allowPrivileged'>;

/** Cached options for new objects, which depend only on the feature gates, `resourceIsPod` and `allowPrivileged`. */
const forNew = new WeakMap<FeatureGates, PodValidationOptions[]>();

/** Returns the options for the spec of a pod or template that replaces `old`, or is new when `old` is undefined. */
export function podValidationOptions(
  { features, allowPrivileged = true }: Cluster,
  old: PodSpec | undefined,
  oldMeta: ObjectMeta | undefined,
  resourceIsPod: boolean,
): PodValidationOptions {
  if (old || oldMeta) return optionsBeside(features, allowPrivileged, old, oldMeta, resourceIsPod);
  let known = forNew.get(features);
  if (!known) {
    known = [];
    forNew.set(features, known);
  }
  const which = (resourceIsPod ? 1 : 0) + (allowPrivileged ? 2 : 0);
  known[which] ??= optionsBeside(features, allowPrivileged, undefined, undefined, resourceIsPod);
  return known[which];
}

function optionsBeside(
  features: FeatureGates,
  allowPrivileged: boolean,
  old: PodSpec | undefined,
  oldMeta: ObjectMeta | undefined,
  resourceIsPod: boolean,
): PodValidationOptions {
  const inOld = (test: (spec: PodSpec) => boolean): boolean => old !== undefined && test(old);
  const matchLabelKeys = features.enabled('MatchLabelKeysInPodTopologySpread');
  const mergeSelectors = features.enabled('MatchLabelKeysInPodTopologySpreadSelectorMerge');
  return {
    features,
    resourceIsPod,
    allowPrivileged,
    allowInvalidPodDeletionCost:
      !features.enabled('PodDeletionCost') || (oldMeta !== undefined && !deletionCostIsValid(oldMeta.annotations)),
    allowInvalidLabelValueInSelector: inOld((spec) =>
      podAffinityTerms(spec.affinity).some((term) => validatePodAffinityTermSelector(term, false, nowhere).length > 0),
    ),
    allowInvalidLabelValueInRequiredNodeAffinity: inOld(hasInvalidNodeAffinityValue),
    allowIndivisibleHugePagesValues: inOld(usesIndivisibleHugePages),
    allowInvalidTopologySpreadConstraintLabelSelector: inOld((spec) =>
      (spec.topologySpreadConstraints ?? []).some(
        ({ labelSelector }) => validateLabelSelector(labelSelector, {}, nowhere).length > 0,
      ),
    ),
    legacyMatchLabelKeys: !matchLabelKeys
      ? true
      : mergeSelectors
        ? inOld((spec) => violates(spec, validateMatchLabelKeys))
        : !inOld((spec) => violates(spec, validateLegacyMatchLabelKeys)),
    allowNonLocalProjectedTokenPath: inOld((spec) =>
      (spec.volumes ?? []).some(({ projected }) =>
        projected?.sources?.some(
          ({ serviceAccountToken: token }) => token && validateLocalNonReservedPath(token.path, nowhere).length > 0,
        ),
      ),
    ),
    allowNamespacedSysctlsForHostNetAndHostIPC: inOld((spec) =>
      (spec.securityContext?.sysctls ?? []).some(({ name }) => hostSysctlConflict(name, spec) !== undefined),
    ),
    allowOnlyRecursiveSELinuxChangePolicy:
      !features.enabled('SELinuxMount') && !inOld((spec) => spec.securityContext?.seLinuxChangePolicy !== undefined),
    allowExistingRestartContainerForNonSidecarInitContainer: inOld((spec) =>
      (spec.initContainers ?? []).some(
        (c) => !isRestartableInitContainer(c) && c.resizePolicy?.some((p) => p.restartPolicy === 'RestartContainer'),
      ),
    ),
    allowUserNamespacesWithVolumeDevices: inOld(
      (spec) => spec.hostUsers === false && someContainer(spec, (c) => (c.volumeDevices ?? []).length > 0),
    ),
    allowUserNamespacesHostNetworkSupport:
      features.enabled('UserNamespacesHostNetworkSupport') ||
      inOld((spec) => spec.hostNetwork === true && spec.hostUsers === false),
    allowTaintTolerationComparisonOperators:
      features.enabled('TaintTolerationComparisonOperators') ||
      inOld((spec) => (spec.tolerations ?? []).some(({ operator }) => operator === 'Lt' || operator === 'Gt')),
    allowContainerRestartPolicyRules: features.enabled('ContainerRestartRules') || inOld(containerRestartRulesInUse),
    allowRestartAllContainers:
      features.enabled('RestartAllContainersOnContainerExits') || inOld(restartAllContainersInUse),
    allowEnvFiles: features.enabled('EnvFiles') || inOld(envFilesInUse),
  };
}

/** Returns the options for a template that replaces `old`, or is new when `old` is undefined. */
export const podTemplateValidationOptions = (cluster: Cluster, old?: PodTemplateSpec): PodValidationOptions =>
  podValidationOptions(cluster, old?.spec, old && (old.metadata ?? {}), false);

type MatchLabelKeysRule = typeof validateMatchLabelKeys;

const violates = (spec: PodSpec, rule: MatchLabelKeysRule): boolean =>
  (spec.topologySpreadConstraints ?? []).some(
    ({ matchLabelKeys, labelSelector }) => rule(nowhere, matchLabelKeys ?? [], labelSelector).length > 0,
  );

const hasInvalidNodeAffinityValue = (spec: PodSpec): boolean =>
  (spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).some((term) =>
    term.matchExpressions?.some(({ values }) => values?.some((value) => isValidLabelValue(value).length > 0)),
  );

function usesIndivisibleHugePages(spec: PodSpec): boolean {
  const indivisible = (list: ResourceList | undefined): boolean =>
    Object.entries(list ?? {}).some(
      ([name, text]) => isHugePageResourceName(name) && !isHugePageValueDivisible(name, Quantity.parse(text)),
    );
  return (
    someContainer(spec, ({ resources }) => indivisible(resources?.limits) || indivisible(resources?.requests)) ||
    indivisible(spec.overhead)
  );
}

/** Reports whether any environment variable is read from a file. */
export const envFilesInUse = (spec: PodSpec): boolean =>
  someContainer(spec, ({ env }) => env?.some(({ valueFrom }) => valueFrom?.fileKeyRef !== undefined) ?? false);

/** Reports whether any container has its own restart policy, other than that of a sidecar. */
export const containerRestartRulesInUse = (spec: PodSpec): boolean =>
  containersOf(spec).some(({ restartPolicy }) => restartPolicy !== undefined) ||
  (spec.initContainers ?? []).some(
    ({ restartPolicy = 'Always', restartPolicyRules = [] }) =>
      restartPolicy !== 'Always' || restartPolicyRules.length > 0,
  );

const restartAllContainersInUse = (spec: PodSpec): boolean =>
  regularAndInitContainers(spec).some((container) =>
    container.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  ) ||
  (spec.initContainers ?? []).some((c) => isRestartableInitContainer(c) && (c.restartPolicyRules ?? []).length > 0);
