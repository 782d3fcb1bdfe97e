import {
  getWarningsForIP,
  isValidLabelValue,
  jsonEquals,
  type ObjectMeta,
  ownEntry,
  Path,
  Quantity,
  quote,
} from '@coxswain/apimachinery';
import type { FeatureGates } from '../../../features/feature-gates.ts';
import type {
  Affinity,
  NodeSelectorTerm,
  Pod,
  PodAffinity,
  PodSpec,
  PodTemplateSpec,
  Volume,
} from '../../../generated/core/v1.ts';
import { warningsForPersistentVolumeClaimSpec } from '../persistent-volume-claim/index.ts';
import { sortedEntries } from './checks.ts';
import { type AnyContainer, containersWithPath, emptyPodSpec } from './containers.ts';
import {
  appArmorAnnotationPrefix,
  appArmorProfileOfAnnotation,
  seccompContainerAnnotationPrefix,
  seccompPodAnnotation,
} from './pod-annotations.ts';
import { portWarnings } from './port-warnings.ts';
import type { ResourceList } from './resource-requirements.ts';
import { overlappingPathWarnings } from './volume-warnings.ts';

const deprecatedNodeLabels = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** What to say of the use of a node's label that has a successor; undefined for others. */
export const nodeLabelDeprecation = (label: string): string | undefined => deprecatedNodeLabels.get(label);

const deprecatedAnnotations: readonly (readonly [key: string, message: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

/** What volumes of each type are good for, under the name that the warning gives the field. */
const deprecatedVolumes: readonly (readonly [type: keyof Volume, field: string, message: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

const noMatch = (path: Path): string => `${path}: a null labelSelector results in matching no pod`;

/** The warnings about a term that selects nodes; of preferences also those about values that no label has. */
export function nodeSelectorTermWarnings(term: NodeSelectorTerm, checkValues: boolean, path: Path): string[] {
  const warnings: string[] = [];
  term.matchExpressions?.forEach(({ key, values }, i) => {
    const at = path.child('matchExpressions').index(i);
    const deprecation = nodeLabelDeprecation(key);
    if (deprecation) warnings.push(`${at.child('key')}: ${key} is ${deprecation}`);
    if (checkValues)
      values?.forEach((value, j) => {
        for (const message of isValidLabelValue(value))
          warnings.push(`${at.child('values').index(j)}: ${value} is invalid, ${message}`);
      });
  });
  return warnings;
}

function nodeWarnings({ nodeSelector, affinity, topologySpreadConstraints }: PodSpec, path: Path): string[] {
  const warnings: string[] = [];
  for (const [label] of sortedEntries(nodeSelector)) {
    const deprecation = nodeLabelDeprecation(label);
    if (deprecation) warnings.push(`${path.child('nodeSelector').key(label)}: ${deprecation}`);
  }
  const {
    requiredDuringSchedulingIgnoredDuringExecution: hard,
    preferredDuringSchedulingIgnoredDuringExecution: soft = [],
  } = affinity?.nodeAffinity ?? {};
  const affinityPath = path.child('affinity', 'nodeAffinity');
  hard?.nodeSelectorTerms.forEach((term, i) => {
    const at = affinityPath.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms').index(i);
    warnings.push(...nodeSelectorTermWarnings(term, false, at));
  });
  soft.forEach(({ preference }, i) => {
    const at = affinityPath.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('preference');
    warnings.push(...nodeSelectorTermWarnings(preference, true, at));
  });
  topologySpreadConstraints?.forEach(({ topologyKey, labelSelector }, i) => {
    const at = path.child('topologySpreadConstraints').index(i);
    const deprecation = nodeLabelDeprecation(topologyKey);
    if (deprecation) warnings.push(`${at.child('topologyKey')}: ${topologyKey} is ${deprecation}`);
    if (!labelSelector) warnings.push(noMatch(at.child('labelSelector')));
  });
  return warnings;
}

function volumeWarnings(volumes: readonly Volume[], path: Path, features: FeatureGates): string[] {
  const warnings: string[] = [];
  volumes.forEach((volume, i) => {
    const at = path.index(i);
    for (const [type, field, message] of deprecatedVolumes) {
      if (volume[type] === undefined) continue;
      const enabled = type === 'gitRepo' && features.enabled('GitRepoVolumeDriver');
      warnings.push(`${at.child(field)}: ${enabled ? 'deprecated in v1.11' : message}`);
    }
    const claim = volume.ephemeral?.volumeClaimTemplate;
    if (claim)
      warnings.push(
        ...warningsForPersistentVolumeClaimSpec(claim.spec, at.child('ephemeral', 'volumeClaimTemplate', 'spec')),
      );
  });
  warnings.push(...overlappingPathWarnings(volumes));
  return warnings;
}

function duplicateWarnings<T>(items: readonly T[], keyOf: (item: T) => string, path: Path, field: string): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const value = keyOf(item);
    if (seen.has(value)) return [`${path.index(i).child(field)}: duplicate ${field} ${quote(value)}`];
    seen.add(value);
    return [];
  });
}

function fractionWarnings(list: ResourceList | undefined, name: string, path: Path): string[] {
  const text = ownEntry(list, name);
  if (text === undefined || Quantity.parse(text).scaledValue(-3) % 1000n === 0n) return [];
  return [`${path.key(name)}: fractional byte value ${quote(text)} is invalid, must be an integer`];
}

/** Variables that are defined twice, unless the second one builds on the first. */
function envWarnings({ env = [] }: AnyContainer, path: Path): string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value = '', valueFrom }, i) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const hides = valueFrom !== undefined || value === reference || !value.includes(reference);
    const warning = `hides previous definition of ${quote(name)}, which may be dropped when using apply`;
    return hides ? [`${path.child('env').index(i)}: ${warning}`] : [];
  });
}

function podAffinityWarnings(affinity: Affinity | undefined, path: Path): string[] {
  const of = (terms: PodAffinity | undefined, at: Path): string[] => [
    ...(terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ labelSelector }, i) =>
      labelSelector
        ? []
        : [noMatch(at.child('requiredDuringSchedulingIgnoredDuringExecution').index(i).child('labelSelector'))],
    ),
    ...(terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(({ podAffinityTerm }, i) => {
      const term = at.child('preferredDuringSchedulingIgnoredDuringExecution').index(i);
      return podAffinityTerm.labelSelector ? [] : [noMatch(term.child('podAffinityTerm', 'labelSelector'))];
    }),
  ];
  return [
    ...of(affinity?.podAffinity, path.child('podAffinity')),
    ...of(affinity?.podAntiAffinity, path.child('podAntiAffinity')),
  ];
}

/** All warnings about a spec and the metadata beside it, in upstream's order. No `root`: they are a pod's. */
function specWarnings(root: Path | undefined, spec: PodSpec, meta: ObjectMeta, features: FeatureGates): string[] {
  const path = root?.child('spec') ?? Path.of('spec');
  const annotationsPath = root?.child('metadata', 'annotations') ?? Path.of('metadata', 'annotations');
  const { annotations } = meta;
  const { hostAliases = [], imagePullSecrets = [], securityContext } = spec;
  const warnings = nodeWarnings(spec, path);
  for (const [key, message] of deprecatedAnnotations)
    if (ownEntry(annotations, key) !== undefined) warnings.push(`${annotationsPath.key(key)}: ${message}`);
  warnings.push(
    ...volumeWarnings(spec.volumes ?? [], path.child('volumes'), features),
    ...duplicateWarnings(hostAliases, ({ ip }) => ip, path.child('hostAliases'), 'ip'),
    ...duplicateWarnings(imagePullSecrets, ({ name = '' }) => name, path.child('imagePullSecrets'), 'name'),
  );
  imagePullSecrets.forEach(({ name }, i) => {
    if (!name) warnings.push(`${path.child('imagePullSecrets').index(i).child('name')}: invalid empty name ""`);
  });
  for (const name of ['memory', 'ephemeral-storage'])
    warnings.push(...fractionWarnings(spec.overhead, name, path.child('overhead')));
  const seccomp = (key: string) => {
    if (ownEntry(annotations, key) !== undefined)
      warnings.push(`${annotationsPath.key(key)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
  };
  if (!securityContext?.seccompProfile) seccomp(seccompPodAnnotation);
  for (const [container, at] of containersWithPath(spec, path)) {
    const { name = '', resources, securityContext: own } = container;
    if (!own?.seccompProfile) seccomp(seccompContainerAnnotationPrefix + name);
    const appArmorKey = appArmorAnnotationPrefix + name;
    const appArmor = ownEntry(annotations, appArmorKey);
    // A pod's annotation becomes a field when it is created, and is warned about there.
    if (root && !own?.appArmorProfile && appArmor !== undefined) {
      const podProfile = securityContext?.appArmorProfile;
      if (!podProfile || !jsonEquals(podProfile, appArmorProfileOfAnnotation(appArmor)))
        warnings.push(appArmorDeprecation(annotationsPath.key(appArmorKey)));
    }
    for (const resource of ['memory', 'ephemeral-storage'])
      for (const list of ['limits', 'requests'] as const)
        warnings.push(...fractionWarnings(resources?.[list], resource, at.child('resources', list)));
    warnings.push(...envWarnings(container, at));
  }
  warnings.push(...portWarnings(spec, path));
  if (spec.terminationGracePeriodSeconds !== undefined && spec.terminationGracePeriodSeconds < 0) {
    const message = 'must be >= 0; negative values are invalid and will be treated as 1';
    warnings.push(`${path.child('terminationGracePeriodSeconds')}: ${message}`);
  }
  warnings.push(...podAffinityWarnings(spec.affinity, path.child('affinity')));
  spec.dnsConfig?.nameservers?.forEach((address, i) => {
    warnings.push(...getWarningsForIP(path.child('dnsConfig', 'nameservers').index(i), address));
  });
  hostAliases.forEach(({ ip }, i) => {
    warnings.push(...getWarningsForIP(path.child('hostAliases').index(i).child('ip'), ip));
  });
  return warnings;
}

/** What to say of the annotation at the path. */
export const appArmorDeprecation = (path: Path): string =>
  `${path}: deprecated since v1.30; use the "appArmorProfile" field instead`;

/** Warnings about a new pod's metadata and spec. */
export const podWarnings = (pod: Pod, features: FeatureGates): string[] =>
  specWarnings(undefined, pod.spec ?? emptyPodSpec, pod.metadata, features);

/** Warnings about a template at the path. What the old template had is warned about again. */
export const podTemplateWarnings = (
  path: Path,
  template: PodTemplateSpec | undefined,
  features: FeatureGates,
): string[] => (template ? specWarnings(path, template.spec ?? emptyPodSpec, template.metadata ?? {}, features) : []);
