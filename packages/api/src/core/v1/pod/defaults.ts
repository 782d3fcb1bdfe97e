import { ownEntry, setOwnEntry } from '@coxswain/apimachinery';
import type {
  Container,
  ContainerStatus,
  EnvVarSource,
  HTTPGetAction,
  Pod,
  PodSpec,
  PodStatus,
  PodTemplate,
  PodTemplateSpec,
  Probe,
  ReplicationController,
  ResourceRequirements,
} from '../../../generated/core/v1.ts';
import { type ResourceList, roundUpToMilli } from '../resources/resource-list.ts';
import {
  isHugePageResourceName,
  isOvercommitAllowed,
  isSupportedPodLevelResource,
} from '../resources/resource-name.ts';
import type { AnyContainer } from './containers.ts';
import { aggregateContainerLimits, aggregateContainerRequests } from './resources/pod-resources.ts';
import { defaultPullPolicy, setObjectFieldSelectorDefaults, setVolumeDefaults } from './volume/volume-defaults.ts';

function setHTTPGetDefaults(action: HTTPGetAction | undefined): void {
  if (!action) return;
  action.path ||= '/';
  action.scheme ||= 'HTTP';
}

function setProbeDefaults(probe: Probe | undefined): void {
  if (!probe) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  setHTTPGetDefaults(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}

function setContainerDefaults(container: AnyContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image);
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  const { ports, env, resources, lifecycle } = container;
  if (ports) for (const port of ports) port.protocol ||= 'TCP';
  if (env) for (const { valueFrom } of env) if (valueFrom) setEnvVarSourceDefaults(valueFrom);
  if (resources) setResourcesDefaults(resources);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  if (lifecycle) {
    setHTTPGetDefaults(lifecycle.postStart?.httpGet);
    setHTTPGetDefaults(lifecycle.preStop?.httpGet);
  }
}

function setEnvVarSourceDefaults({ fieldRef, fileKeyRef }: EnvVarSource): void {
  setObjectFieldSelectorDefaults(fieldRef);
  if (fileKeyRef) fileKeyRef.optional ??= false;
}

function setResourcesDefaults({ limits, requests }: ResourceRequirements): void {
  roundUpToMilli(limits);
  roundUpToMilli(requests);
}

/** Sets the defaults of pods and templates. `serviceAccount` and `serviceAccountName` are kept equal. */
function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  spec.volumes?.forEach(setVolumeDefaults);
  spec.initContainers?.forEach(setContainerDefaults);
  spec.containers?.forEach(setContainerDefaults);
  spec.ephemeralContainers?.forEach(setContainerDefaults);
  roundUpToMilli(spec.overhead);
  if (spec.resources) setResourcesDefaults(spec.resources);
  const serviceAccountName = spec.serviceAccountName || spec.serviceAccount;
  if (serviceAccountName) {
    spec.serviceAccountName = serviceAccountName;
    spec.serviceAccount = serviceAccountName;
  }
}

/** Annotations that held init containers before there was a field for them; they are removed. */
const initContainerAnnotations = ['alpha', 'beta'].flatMap((stage) =>
  ['init-containers', 'init-container-statuses'].map((name) => `pod.${stage}.kubernetes.io/${name}`),
);

function hasInitContainers(annotations: Readonly<Record<string, string>>): boolean {
  for (const key of initContainerAnnotations) if (annotations[key] !== undefined) return true;
  return false;
}

function dropInitContainerAnnotations(object: Pod | PodTemplateSpec): void {
  const annotations = object.metadata?.annotations;
  if (!annotations || !hasInitContainers(annotations)) return;
  const kept = Object.entries(annotations).filter(([key]) => !initContainerAnnotations.includes(key));
  const { annotations: _, ...metadata } = object.metadata!;
  object.metadata = kept.length > 0 ? { ...metadata, annotations: Object.fromEntries(kept) } : metadata;
}

/** Sets the defaults of a pod template in any kind. */
export function setPodTemplateSpecDefaults(template: PodTemplateSpec): void {
  template.spec ??= { containers: [] };
  setPodSpecDefaults(template.spec);
  dropInitContainerAnnotations(template);
}

/** Sets missing requests to the limits. */
function setRequestsToLimits({ resources }: Container): void {
  if (!resources?.limits) return;
  resources.requests ??= {};
  for (const name of Object.keys(resources.limits))
    if (!Object.hasOwn(resources.requests, name)) setOwnEntry(resources.requests, name, resources.limits[name]!);
}

/** Sets pod-level requests and limits from those of the containers, if the pod has any pod-level resources. */
function setPodLevelResourceDefaults(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources || !(hasEntries(resources.limits) || hasEntries(resources.requests))) return;
  const fill = (list: ResourceList, name: string, amount: string) => {
    if (!Object.hasOwn(list, name)) setOwnEntry(list, name, amount);
  };
  const limits = resources.limits ?? {};
  for (const [name, quantity] of aggregateContainerLimits(spec))
    if (isHugePageResourceName(name) && ownEntry(resources.requests, name) === undefined)
      fill(limits, name, quantity.toString());
  if (!hasEntries(limits)) return;
  resources.limits = limits;
  const requests = resources.requests ?? {};
  for (const [name, quantity] of aggregateContainerRequests(spec))
    if (isSupportedPodLevelResource(name) && isOvercommitAllowed(name)) fill(requests, name, quantity.toString());
  for (const [name, limit] of Object.entries(limits))
    if (isSupportedPodLevelResource(name)) fill(requests, name, limit);
  if (hasEntries(requests)) resources.requests = requests;
}

const hasEntries = (list: ResourceList | undefined): boolean => list !== undefined && Object.keys(list).length > 0;

/** Sets missing host ports to the container ports, for pods with `hostNetwork`. */
function setHostPorts(containers: readonly Container[] | undefined): void {
  for (const { ports } of containers ?? []) for (const port of ports ?? []) port.hostPort ||= port.containerPort;
}

function setContainerStatusDefaults({ allocatedResources, resources }: ContainerStatus): void {
  roundUpToMilli(allocatedResources);
  if (resources) setResourcesDefaults(resources);
}

function setPodStatusDefaults(status: PodStatus): void {
  status.initContainerStatuses?.forEach(setContainerStatusDefaults);
  status.containerStatuses?.forEach(setContainerStatusDefaults);
  status.ephemeralContainerStatuses?.forEach(setContainerStatusDefaults);
  roundUpToMilli(status.allocatedResources);
  if (status.resources) setResourcesDefaults(status.resources);
  // When podIP and podIPs differ, podIP wins, as it is the older field.
  if (status.podIP && status.podIP !== status.podIPs?.[0]?.ip) status.podIPs = [{ ip: status.podIP }];
  const first = status.podIPs?.[0]?.ip;
  if (first) status.podIP = first;
}

/** Sets the defaults of a pod: those of its spec and those that templates must not get. */
export function setPodDefaults(pod: Pod): void {
  pod.spec ??= { containers: [] };
  const { spec } = pod;
  spec.containers?.forEach(setRequestsToLimits);
  spec.initContainers?.forEach(setRequestsToLimits);
  setPodLevelResourceDefaults(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) {
    setHostPorts(spec.containers);
    setHostPorts(spec.initContainers);
  }
  setPodSpecDefaults(spec);
  if (spec.terminationGracePeriodSeconds! < 0) spec.terminationGracePeriodSeconds = 1;
  if (pod.status) setPodStatusDefaults(pod.status);
  dropInitContainerAnnotations(pod);
}

export function setPodTemplateDefaults(podTemplate: PodTemplate): void {
  podTemplate.template ??= {};
  setPodTemplateSpecDefaults(podTemplate.template);
}

/** Sets the defaults of a controller: its labels and selector are those of its template unless set. */
export function setReplicationControllerDefaults(controller: ReplicationController): void {
  controller.spec ??= {};
  const { spec, metadata } = controller;
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(labels).length > 0) {
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (Object.keys(metadata.labels ?? {}).length === 0) controller.metadata = { ...metadata, labels: { ...labels } };
  }
  spec.replicas ??= 1;
  if (spec.template) setPodTemplateSpecDefaults(spec.template);
}
