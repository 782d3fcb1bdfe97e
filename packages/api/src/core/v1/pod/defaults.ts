import { ownEntry, setOwnEntry } from '@coxswain/apimachinery';
import type {
  Container,
  HTTPGetAction,
  Pod,
  PodSpec,
  PodStatus,
  PodTemplate,
  PodTemplateSpec,
  Probe,
  ReplicationController,
} from '../../../generated/core/v1.ts';
import { type ResourceList, roundUpToMilli } from '../resource-list.ts';
import { type AnyContainer, allContainers } from './containers.ts';
import { aggregateContainerLimits, aggregateContainerRequests } from './pod-resources.ts';
import { isHugePageResourceName, isOvercommitAllowed, isSupportedPodLevelResource } from './resource-name.ts';
import { defaultPullPolicy, setObjectFieldSelectorDefaults, setVolumeDefaults } from './volume-defaults.ts';

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
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    setObjectFieldSelectorDefaults(valueFrom?.fieldRef);
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  roundUpToMilli(container.resources?.limits);
  roundUpToMilli(container.resources?.requests);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  setHTTPGetDefaults(container.lifecycle?.postStart?.httpGet);
  setHTTPGetDefaults(container.lifecycle?.preStop?.httpGet);
}

/** What every spec of pods gets, also in templates. `serviceAccount` and `serviceAccountName` come to say the same. */
export function setPodSpecDefaults(spec: PodSpec): void {
  spec.containers ??= [];
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of allContainers(spec)) setContainerDefaults(container);
  roundUpToMilli(spec.overhead);
  roundUpToMilli(spec.resources?.limits);
  roundUpToMilli(spec.resources?.requests);
  const serviceAccountName = spec.serviceAccountName || spec.serviceAccount;
  if (serviceAccountName) {
    spec.serviceAccountName = serviceAccountName;
    spec.serviceAccount = serviceAccountName;
  }
}

/** Annotations in which init containers stood before there was a field for them: they are taken out of what is stored. */
const initContainerAnnotations = ['alpha', 'beta'].flatMap((stage) =>
  ['init-containers', 'init-container-statuses'].map((name) => `pod.${stage}.kubernetes.io/${name}`),
);

function dropInitContainerAnnotations(object: Pod | PodTemplateSpec): void {
  const annotations = object.metadata?.annotations;
  if (!annotations || !initContainerAnnotations.some((key) => Object.hasOwn(annotations, key))) return;
  const kept = Object.entries(annotations).filter(([key]) => !initContainerAnnotations.includes(key));
  const { annotations: _, ...metadata } = object.metadata!;
  object.metadata = kept.length > 0 ? { ...metadata, annotations: Object.fromEntries(kept) } : metadata;
}

/** The defaults of a template, in whatever kind it stands. */
export function setPodTemplateSpecDefaults(template: PodTemplateSpec): void {
  template.spec ??= { containers: [] };
  setPodSpecDefaults(template.spec);
  dropInitContainerAnnotations(template);
}

/** What is limited and not requested is requested to that limit. */
function setRequestsToLimits({ resources }: Container): void {
  if (!resources?.limits) return;
  resources.requests ??= {};
  for (const [name, limit] of Object.entries(resources.limits))
    if (!Object.hasOwn(resources.requests, name)) setOwnEntry(resources.requests, name, limit);
}

/** What a pod asks for as a whole, as far as it can be told from its containers: only if it asks for something. */
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

/** On the host's network a port that is not mapped is the host's port of that number. */
function setHostPorts(containers: readonly Container[] | undefined): void {
  for (const { ports } of containers ?? []) for (const port of ports ?? []) port.hostPort ||= port.containerPort;
}

function setPodStatusDefaults(status: PodStatus | undefined): void {
  if (!status) return;
  for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const)
    for (const { allocatedResources, resources } of status[list] ?? []) {
      roundUpToMilli(allocatedResources);
      roundUpToMilli(resources?.limits);
      roundUpToMilli(resources?.requests);
    }
  roundUpToMilli(status.allocatedResources);
  roundUpToMilli(status.resources?.limits);
  roundUpToMilli(status.resources?.requests);
  // Of an address that is written twice, the older field is right.
  if (status.podIP && status.podIP !== status.podIPs?.[0]?.ip) status.podIPs = [{ ip: status.podIP }];
  const first = status.podIPs?.[0]?.ip;
  if (first) status.podIP = first;
}

/** The defaults of a pod: beside those of its spec, what must not show up in templates. */
export function setPodDefaults(pod: Pod): void {
  pod.spec ??= { containers: [] };
  const { spec } = pod;
  spec.containers ??= [];
  for (const container of spec.containers) setRequestsToLimits(container);
  for (const container of spec.initContainers ?? []) setRequestsToLimits(container);
  setPodLevelResourceDefaults(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) {
    setHostPorts(spec.containers);
    setHostPorts(spec.initContainers);
  }
  setPodSpecDefaults(spec);
  if (spec.terminationGracePeriodSeconds! < 0) spec.terminationGracePeriodSeconds = 1;
  setPodStatusDefaults(pod.status);
  dropInitContainerAnnotations(pod);
}

export function setPodTemplateDefaults(podTemplate: PodTemplate): void {
  podTemplate.template ??= {};
  setPodTemplateSpecDefaults(podTemplate.template);
}

/** Labels and selector of a controller are those of its template, unless it has its own. */
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
