import { getWarningsForIP, jsonEquals, type ObjectMeta, ownEntry, Path, quote } from '@coxswain/apimachinery';
import type { FeatureGates } from '../../../../features/feature-gates.ts';
import type { Affinity, Pod, PodAffinity, PodSpec, PodTemplateSpec, Volume } from '../../../../generated/core/v1.ts';
import { sortedEntries } from '../../checks.ts';
import { nodeLabelDeprecation, nodeSelectorTermWarnings } from '../../node-label-warnings.ts';
import { warningsForPersistentVolumeClaimSpec } from '../../persistent-volume-claim/index.ts';
import { isWholeAmount } from '../../resources/amount.ts';
import type { ResourceList } from '../../resources/resource-requirements.ts';
import { type AnyContainer, containersWithPath, emptyPodSpec } from '../containers.ts';
import {
  appArmorAnnotationPrefix,
  appArmorProfileOfAnnotation,
  seccompContainerAnnotationPrefix,
  seccompPodAnnotation,
} from '../pod-annotations.ts';
import { addPortWarnings } from './port-warnings.ts';
import { addOverlappingPathWarnings } from './volume-warnings.ts';

const deprecatedAnnotations: readonly (readonly [key: string, message: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

/** Deprecated volume types, with the field's name in the warning and the message. */
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

function addNodeWarnings(
  { nodeSelector, affinity, topologySpreadConstraints }: PodSpec,
  path: Path,
  warnings: string[],
): void {
  for (const [label] of sortedEntries(nodeSelector)) {
    const deprecation = nodeLabelDeprecation(label);
    if (deprecation) warnings.push(`${path.child('nodeSelector').key(label)}: ${deprecation}`);
  }
  const {
    requiredDuringSchedulingIgnoredDuringExecution: hard,
    preferredDuringSchedulingIgnoredDuringExecution: soft,
  } = affinity?.nodeAffinity ?? {};
  const affinityPath = path.child('affinity', 'nodeAffinity');
  hard?.nodeSelectorTerms?.forEach((term, i) => {
    const at = affinityPath.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms').index(i);
    nodeSelectorTermWarnings(term, false, at, warnings);
  });
  soft?.forEach(({ preference }, i) => {
    const at = affinityPath.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('preference');
    nodeSelectorTermWarnings(preference, true, at, warnings);
  });
  topologySpreadConstraints?.forEach(({ topologyKey, labelSelector }, i) => {
    const at = path.child('topologySpreadConstraints').index(i);
    const deprecation = nodeLabelDeprecation(topologyKey);
    if (deprecation) warnings.push(`${at.child('topologyKey')}: ${topologyKey} is ${deprecation}`);
    if (!labelSelector) warnings.push(noMatch(at.child('labelSelector')));
  });
}

function addVolumeWarnings(volumes: readonly Volume[], path: Path, features: FeatureGates, warnings: string[]): void {
  volumes.forEach((volume, i) => {
    for (const [type, field, message] of deprecatedVolumes) {
      if (volume[type] === undefined) continue;
      const enabled = type === 'gitRepo' && features.enabled('GitRepoVolumeDriver');
      warnings.push(`${path.index(i).child(field)}: ${enabled ? 'deprecated in v1.11' : message}`);
    }
    const claim = volume.ephemeral?.volumeClaimTemplate;
    if (claim) {
      const at = path.index(i).child('ephemeral', 'volumeClaimTemplate', 'spec');
      warnings.push(...warningsForPersistentVolumeClaimSpec(claim.spec, at));
    }
  });
  addOverlappingPathWarnings(volumes, warnings);
}

function addDuplicateWarnings<T>(items: readonly T[], field: keyof T & string, path: Path, warnings: string[]): void {
  const seen = new Set<unknown>();
  items.forEach((item, i) => {
    const value = item[field] ?? '';
    if (seen.has(value)) warnings.push(`${path.index(i).child(field)}: duplicate ${field} ${quote(String(value))}`);
    seen.add(value);
  });
}

function addFractionWarning(list: ResourceList | undefined, name: string, path: Path, warnings: string[]): void {
  const amount = ownEntry(list, name);
  if (amount !== undefined && !isWholeAmount(amount))
    warnings.push(`${path.key(name)}: fractional byte value ${quote(amount)} is invalid, must be an integer`);
}

/** Warns of duplicate variables, unless the second one refers to the first. */
function addEnvWarnings({ env }: AnyContainer, path: Path, warnings: string[]): void {
  const seen = new Set<string>();
  env?.forEach(({ name, value = '', valueFrom }, i) => {
    if (!seen.has(name)) {
      seen.add(name);
      return;
    }
    const reference = `$(${name})`;
    const hides = valueFrom !== undefined || value === reference || !value.includes(reference);
    const warning = `hides previous definition of ${quote(name)}, which may be dropped when using apply`;
    if (hides) warnings.push(`${path.child('env').index(i)}: ${warning}`);
  });
}

function addPodAffinityWarnings(affinity: Affinity, path: Path, warnings: string[]): void {
  const add = (terms: PodAffinity | undefined, at: Path) => {
    terms?.requiredDuringSchedulingIgnoredDuringExecution?.forEach(({ labelSelector }, i) => {
      const term = at.child('requiredDuringSchedulingIgnoredDuringExecution').index(i);
      if (!labelSelector) warnings.push(noMatch(term.child('labelSelector')));
    });
    terms?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ podAffinityTerm }, i) => {
      const term = at.child('preferredDuringSchedulingIgnoredDuringExecution').index(i);
      if (!podAffinityTerm.labelSelector) warnings.push(noMatch(term.child('podAffinityTerm', 'labelSelector')));
    });
  };
  add(affinity.podAffinity, path.child('podAffinity'));
  add(affinity.podAntiAffinity, path.child('podAntiAffinity'));
}

/** The object that warnings are about, and the list that they are added to. */
interface Subject {
  readonly spec: PodSpec;
  readonly path: Path;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly annotationsPath: Path;
  readonly isTemplate: boolean;
  readonly warnings: string[];
}

function addSeccompWarning(key: string, { annotations, annotationsPath, warnings }: Subject): void {
  if (ownEntry(annotations, key) !== undefined)
    warnings.push(`${annotationsPath.key(key)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
}

/**
 * Warns of the AppArmor annotation of a template. A pod's annotation is copied to a field on create, which causes the
 * warning there.
 */
function addAppArmorWarning(key: string, { spec, annotations, annotationsPath, warnings }: Subject): void {
  const annotation = ownEntry(annotations, key);
  const podProfile = spec.securityContext?.appArmorProfile;
  if (annotation === undefined) return;
  if (!podProfile || !jsonEquals(podProfile, appArmorProfileOfAnnotation(annotation)))
    warnings.push(appArmorDeprecation(annotationsPath.key(key)));
}

const byteResources = ['memory', 'ephemeral-storage'];

function addContainerWarnings(container: AnyContainer, path: Path, subject: Subject): void {
  const { name = '', resources, securityContext } = container;
  const { annotations, isTemplate, warnings } = subject;
  if (annotations && !securityContext?.seccompProfile)
    addSeccompWarning(seccompContainerAnnotationPrefix + name, subject);
  if (annotations && isTemplate && !securityContext?.appArmorProfile)
    addAppArmorWarning(appArmorAnnotationPrefix + name, subject);
  if (resources)
    for (const resource of byteResources) {
      addFractionWarning(resources.limits, resource, path.child('resources', 'limits'), warnings);
      addFractionWarning(resources.requests, resource, path.child('resources', 'requests'), warnings);
    }
  addEnvWarnings(container, path, warnings);
}

/**
 * Returns all warnings about a spec and its metadata, in upstream's order. `root` is the path of a template; undefined
 * for a pod.
 */
function specWarnings(
  root: Path | undefined,
  spec: PodSpec,
  { annotations }: ObjectMeta,
  features: FeatureGates,
): string[] {
  const path = root?.child('spec') ?? Path.of('spec');
  const annotationsPath = root?.child('metadata', 'annotations') ?? Path.of('metadata', 'annotations');
  const { volumes, hostAliases, imagePullSecrets, affinity, terminationGracePeriodSeconds: seconds } = spec;
  const warnings: string[] = [];
  const subject: Subject = { spec, path, annotations, annotationsPath, isTemplate: root !== undefined, warnings };
  addNodeWarnings(spec, path, warnings);
  for (const [key, message] of deprecatedAnnotations)
    if (ownEntry(annotations, key) !== undefined) warnings.push(`${annotationsPath.key(key)}: ${message}`);
  if (volumes) addVolumeWarnings(volumes, path.child('volumes'), features, warnings);
  if (hostAliases) addDuplicateWarnings(hostAliases, 'ip', path.child('hostAliases'), warnings);
  if (imagePullSecrets) addDuplicateWarnings(imagePullSecrets, 'name', path.child('imagePullSecrets'), warnings);
  imagePullSecrets?.forEach(({ name }, i) => {
    if (!name) warnings.push(`${path.child('imagePullSecrets').index(i).child('name')}: invalid empty name ""`);
  });
  for (const name of byteResources) addFractionWarning(spec.overhead, name, path.child('overhead'), warnings);
  if (!spec.securityContext?.seccompProfile) addSeccompWarning(seccompPodAnnotation, subject);
  for (const [container, at] of containersWithPath(spec, path)) addContainerWarnings(container, at, subject);
  addPortWarnings(spec, path, warnings);
  if (seconds !== undefined && seconds < 0) {
    const message = 'must be >= 0; negative values are invalid and will be treated as 1';
    warnings.push(`${path.child('terminationGracePeriodSeconds')}: ${message}`);
  }
  if (affinity) addPodAffinityWarnings(affinity, path.child('affinity'), warnings);
  spec.dnsConfig?.nameservers?.forEach((address, i) => {
    warnings.push(...getWarningsForIP(path.child('dnsConfig', 'nameservers').index(i), address));
  });
  hostAliases?.forEach(({ ip }, i) => {
    warnings.push(...getWarningsForIP(path.child('hostAliases').index(i).child('ip'), ip));
  });
  return warnings;
}

/** Returns the deprecation warning for the annotation at the path. */
export const appArmorDeprecation = (path: Path): string =>
  `${path}: deprecated since v1.30; use the "appArmorProfile" field instead`;

/** Returns warnings about a new pod's metadata and spec. */
export const podWarnings = (pod: Pod, features: FeatureGates): string[] =>
  specWarnings(undefined, pod.spec ?? emptyPodSpec, pod.metadata, features);

/** Returns warnings about a template at the path, also about what the old template already had. */
export const podTemplateWarnings = (
  path: Path,
  template: PodTemplateSpec | undefined,
  features: FeatureGates,
): string[] => (template ? specWarnings(path, template.spec ?? emptyPodSpec, template.metadata ?? {}, features) : []);
