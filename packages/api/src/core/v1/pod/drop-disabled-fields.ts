import type { FeatureGates, FeatureName } from '../../../features/feature-gates.ts';
import type {
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  VolumeProjection,
} from '../../../generated/core/v1.ts';
import { type AnyContainer, allContainers, containersOf, someContainer } from './containers.ts';
import { isRestartableInitContainer } from './resources/pod-resources.ts';
import { containerRestartRulesInUse, envFilesInUse } from './validation-options.ts';

/** A field that is dropped while its feature is off, unless the old object uses it. */
interface GatedField<T> {
  readonly feature: FeatureName;
  readonly inUse: (old: T) => boolean;
  readonly drop: (object: T) => void;
}

const hasEntries = (map: object | undefined): boolean => map !== undefined && Object.keys(map).length > 0;

function projectedSource(feature: FeatureName, name: keyof VolumeProjection): GatedField<PodSpec> {
  const sources = (spec: PodSpec): VolumeProjection[] =>
    (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return {
    feature,
    inUse: (old) => sources(old).some((source) => source[name] !== undefined),
    drop: (spec) => {
      for (const source of sources(spec)) delete source[name];
    },
  };
}

/** A field of the object itself, in use when it is set. */
const ownField = <T extends object>(feature: FeatureName, name: keyof T): GatedField<T> => ({
  feature,
  inUse: (old) => old[name] !== undefined,
  drop: (object) => {
    delete object[name];
  },
});

const specFields: readonly GatedField<PodSpec>[] = [
  {
    feature: 'PodLevelResources',
    inUse: ({ resources }) => hasEntries(resources?.requests) || hasEntries(resources?.limits),
    drop: (spec) => {
      delete spec.resources;
    },
  },
  {
    feature: 'MatchLabelKeysInPodTopologySpread',
    inUse: (old) => (old.topologySpreadConstraints ?? []).some(({ matchLabelKeys = [] }) => matchLabelKeys.length > 0),
    drop: (spec) => {
      for (const constraint of spec.topologySpreadConstraints ?? []) delete constraint.matchLabelKeys;
    },
  },
  projectedSource('ClusterTrustBundleProjection', 'clusterTrustBundle'),
  projectedSource('PodCertificateRequest', 'podCertificate'),
  ownField('GenericWorkload', 'schedulingGroup'),
  {
    feature: 'ContainerRestartRules',
    inUse: containerRestartRulesInUse,
    drop: (spec) => {
      for (const container of allContainers(spec)) delete container.restartPolicyRules;
      for (const container of spec.initContainers ?? [])
        if (!isRestartableInitContainer(container)) delete container.restartPolicy;
      for (const container of [...containersOf(spec), ...(spec.ephemeralContainers ?? [])])
        delete container.restartPolicy;
    },
  },
  ownField('HostnameOverride', 'hostnameOverride'),
  {
    feature: 'EnvFiles',
    inUse: envFilesInUse,
    drop: (spec) => {
      for (const { env } of allContainers(spec))
        for (const { valueFrom } of env ?? []) if (valueFrom) delete valueFrom.fileKeyRef;
    },
  },
  {
    feature: 'ContainerStopSignals',
    inUse: (old) => someContainer(old, ({ lifecycle }) => lifecycle?.stopSignal !== undefined),
    drop: (spec) => {
      for (const container of allContainers(spec)) dropStopSignal(container);
    },
  },
];

/** Drops the stop signal, and the lifecycle if it is empty afterwards. */
function dropStopSignal(container: AnyContainer): void {
  if (container.lifecycle?.stopSignal === undefined) return;
  const { stopSignal: _, ...lifecycle } = container.lifecycle;
  if (hasEntries(lifecycle)) container.lifecycle = lifecycle;
  else delete container.lifecycle;
}

const containerStatuses = (status: PodStatus): ContainerStatus[] => [
  ...(status.containerStatuses ?? []),
  ...(status.initContainerStatuses ?? []),
  ...(status.ephemeralContainerStatuses ?? []),
];
const healthOf = (status: PodStatus) =>
  containerStatuses(status).flatMap(({ allocatedResourcesStatus = [] }) =>
    allocatedResourcesStatus.flatMap(({ resources = [] }) => resources),
  );
const mountsOf = (status: PodStatus) => containerStatuses(status).flatMap(({ volumeMounts = [] }) => volumeMounts);

const statusFields: readonly GatedField<PodStatus>[] = [
  {
    feature: 'InPlacePodLevelResourcesVerticalScaling',
    inUse: (old) => old.resources !== undefined || old.allocatedResources !== undefined,
    drop: (status) => {
      delete status.resources;
      delete status.allocatedResources;
    },
  },
  ownField('DRAExtendedResource', 'extendedResourceClaimStatus'),
  {
    feature: 'ResourceHealthStatus',
    inUse: (old) => containerStatuses(old).some((status) => (status.allocatedResourcesStatus ?? []).length > 0),
    drop: (status) => {
      for (const container of containerStatuses(status)) delete container.allocatedResourcesStatus;
    },
  },
  {
    feature: 'ResourceHealthStatusMessage',
    inUse: (old) => healthOf(old).some(({ message }) => message !== undefined),
    drop: (status) => {
      for (const health of healthOf(status)) delete health.message;
    },
  },
  {
    feature: 'ImageVolumeWithDigest',
    inUse: (old) => mountsOf(old).some(({ volumeStatus }) => volumeStatus !== undefined),
    drop: (status) => {
      for (const mount of mountsOf(status)) delete mount.volumeStatus;
    },
  },
  ownField('DRANodeAllocatableResources', 'nodeAllocatableResourceClaimStatuses'),
];

function dropDisabled<T>(
  fields: readonly GatedField<T>[],
  object: T | undefined,
  old: T | undefined,
  features: FeatureGates,
): void {
  if (!object) return;
  for (const { feature, inUse, drop } of fields) if (!features.enabled(feature) && !(old && inUse(old))) drop(object);
}

/** Drops the fields of a template that belong to disabled features, unless the old template uses them. */
export function dropDisabledTemplateFields(
  template: PodTemplateSpec | undefined,
  old: PodTemplateSpec | undefined,
  features: FeatureGates,
): void {
  dropDisabled(specFields, template?.spec, old?.spec, features);
}

/** Drops the fields of a pod and its status that belong to disabled features, unless the old pod uses them. */
export function dropDisabledPodFields(pod: Pod, old: Pod | undefined, features: FeatureGates): void {
  dropDisabled(specFields, pod.spec, old?.spec, features);
  dropDisabled(statusFields, pod.status, old?.status, features);
}
