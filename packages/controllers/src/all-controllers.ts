import { attachDetachController } from './attach-detach/index.ts';
import { bootstrapSignerController } from './bootstrap-signer/index.ts';
import {
  type CsrSigningOptions,
  csrApprovingController,
  csrCleanerController,
  csrSigningController,
  podCertificateRequestCleanerController,
} from './certificates/index.ts';
import { clusterRoleAggregationController } from './clusterrole-aggregation/index.ts';
import { cronJobController } from './cronjob/index.ts';
import { daemonSetController } from './daemonset/index.ts';
import { deploymentController } from './deployment/index.ts';
import { deviceTaintEvictionController } from './device-taint-eviction/index.ts';
import { disruptionController } from './disruption/index.ts';
import { newEndpointsController } from './endpoints/index.ts';
import { newEndpointSliceController } from './endpointslice/index.ts';
import { newEndpointSliceMirroringController } from './endpointslice-mirroring/index.ts';
import { ephemeralVolumeController } from './ephemeral-volume/index.ts';
import type { ControllerDefinition } from './framework/controller/controller.ts';
import { garbageCollectorController } from './garbage-collector/index.ts';
import { newHorizontalPodAutoscalerController } from './horizontal-pod-autoscaler/index.ts';
import { jobController } from './job/index.ts';
import { clusterTrustBundlePublisherController } from './kube-apiserver-serving-clustertrustbundle-publisher/index.ts';
import { newLegacyTokenCleanerController } from './legacy-token-cleaner/index.ts';
import { namespaceController } from './namespace/index.ts';
import { newNodeIpamController } from './node-ipam/index.ts';
import { newNodeLifecycleController } from './node-lifecycle/index.ts';
import { persistentVolumeBinderController } from './persistent-volume-binder/index.ts';
import { newPodGarbageCollectorController } from './pod-gc/index.ts';
import { podGroupProtectionController } from './podgroup-protection/index.ts';
import { pvProtectionController } from './pv-protection/index.ts';
import { pvcProtectionController } from './pvc-protection/index.ts';
import { replicaSetController } from './replicaset/index.ts';
import { replicationControllerController } from './replication-controller/index.ts';
import { resourceClaimController } from './resource-claim/index.ts';
import { resourceQuotaController } from './resource-quota/index.ts';
import { resourcePoolStatusRequestController } from './resourcepoolstatusrequest/index.ts';
import { rootCAPublisherController } from './root-ca-publisher/index.ts';
import { seLinuxWarningController } from './selinux-warning/index.ts';
import { serviceAccountController } from './service-account/index.ts';
import { serviceAccountTokenController } from './service-account-token/index.ts';
import { serviceCIDRController } from './service-cidr/index.ts';
import { statefulSetController } from './statefulset/index.ts';
import { storageVersionMigratorController } from './storage-version-migrator/index.ts';
import { storageVersionGarbageCollectorController } from './storageversion-garbage-collector/index.ts';
import { taintEvictionController } from './taint-eviction/index.ts';
import { tokenCleanerController } from './token-cleaner/index.ts';
import { ttlController } from './ttl/index.ts';
import { ttlAfterFinishedController } from './ttl-after-finished/index.ts';
import { volumeExpandController } from './volume-expand/index.ts';
import { volumeAttributesClassProtectionController } from './volumeattributesclass-protection/index.ts';

/** Options of the controllers. A controller whose required option is missing is left out. */
export interface AllControllersOptions {
  readonly endpoints?: Parameters<typeof newEndpointsController>[0];
  readonly endpointSlices?: Parameters<typeof newEndpointSliceController>[0];
  readonly endpointSliceMirroring?: Parameters<typeof newEndpointSliceMirroringController>[0];
  readonly horizontalPodAutoscaler?: Parameters<typeof newHorizontalPodAutoscalerController>[0];
  readonly legacyTokenCleaner?: Parameters<typeof newLegacyTokenCleanerController>[0];
  readonly nodeIpam?: Parameters<typeof newNodeIpamController>[0];
  readonly nodeLifecycle?: Parameters<typeof newNodeLifecycleController>[0];
  readonly persistentVolumeBinder?: Parameters<typeof persistentVolumeBinderController>[0];
  readonly podGarbageCollector?: Parameters<typeof newPodGarbageCollectorController>[0];
  /** The CAs of the signers. Without it, no certificates are signed. */
  readonly signing?: CsrSigningOptions;
  /** The CA certificates of the API server as PEM. Without it, they are not published in namespaces. */
  readonly rootCA?: string;
  /** Signs tokens. Without it, Secrets get no tokens. */
  readonly signToken?: Parameters<typeof serviceAccountTokenController>[0]['signToken'];
}

/**
 * Returns all controllers in upstream's order with two exceptions: the publisher of the root CA ConfigMap, which every pod of a
 * namespace mounts, comes earlier, and role aggregation, which is much work that nothing waits for, comes last. The controllers
 * run concurrently; the order only determines which ones send their first requests first.
 */
export function allControllers(options: AllControllersOptions = {}): ControllerDefinition[] {
  const { rootCA, signing, signToken } = options;
  return [
    ...(signToken ? [serviceAccountTokenController({ signToken, rootCA: rootCA ?? '' })] : []),
    newEndpointsController(options.endpoints ?? {}),
    newEndpointSliceController(options.endpointSlices ?? {}),
    newEndpointSliceMirroringController(options.endpointSliceMirroring ?? {}),
    replicationControllerController,
    newPodGarbageCollectorController(options.podGarbageCollector),
    resourceQuotaController,
    namespaceController,
    serviceAccountController,
    ...(rootCA === undefined ? [] : [rootCAPublisherController({ rootCA })]),
    garbageCollectorController,
    daemonSetController,
    jobController,
    podGroupProtectionController,
    deploymentController,
    replicaSetController,
    newHorizontalPodAutoscalerController(options.horizontalPodAutoscaler),
    disruptionController,
    statefulSetController,
    cronJobController,
    ...(signing ? [csrSigningController(signing)] : []),
    csrApprovingController,
    csrCleanerController,
    podCertificateRequestCleanerController,
    ttlController,
    bootstrapSignerController,
    tokenCleanerController,
    newNodeIpamController(options.nodeIpam),
    newNodeLifecycleController(options.nodeLifecycle),
    persistentVolumeBinderController(options.persistentVolumeBinder),
    attachDetachController(),
    volumeExpandController,
    pvcProtectionController,
    pvProtectionController,
    volumeAttributesClassProtectionController,
    ttlAfterFinishedController,
    ...(rootCA === undefined ? [] : [clusterTrustBundlePublisherController({ caBundle: () => rootCA })]),
    ephemeralVolumeController,
    storageVersionGarbageCollectorController,
    resourceClaimController,
    resourcePoolStatusRequestController,
    deviceTaintEvictionController,
    newLegacyTokenCleanerController(options.legacyTokenCleaner ?? {}),
    taintEvictionController,
    serviceCIDRController,
    storageVersionMigratorController,
    seLinuxWarningController,
    clusterRoleAggregationController,
  ];
}

/**
 * Upstream's names, including aliases, of controllers that do not exist here: the API server itself checks the expressions of
 * ValidatingAdmissionPolicies, and cloud providers are not supported.
 */
const namesWithoutController: readonly string[] = [
  'validatingadmissionpolicy-status-controller',
  ...['service-lb-controller', 'service', 'node-route-controller', 'route'],
  ...['cloud-node-lifecycle-controller', 'cloud-node-lifecycle'],
];

/**
 * Returns the controllers that `--controllers` selects: `*` means all that are on by default, `foo` turns one on, `-foo` turns
 * one off. Throws an Error with upstream's message for an unknown name.
 */
export function chosenControllers(
  all: readonly ControllerDefinition[],
  wanted: readonly string[],
): ControllerDefinition[] {
  const known = new Map(all.flatMap((each) => [each.name, ...each.aliases].map((name) => [name, each] as const)));
  const [on, off] = [new Set<ControllerDefinition>(), new Set<ControllerDefinition>()];
  for (const word of wanted) {
    if (word === '*') continue;
    const isOff = word.startsWith('-');
    const name = isOff ? word.slice(1) : word;
    if (namesWithoutController.includes(name)) continue;
    const definition = known.get(name);
    if (!definition) throw new Error(`${JSON.stringify(word)} is not in the list of known controllers`);
    (isOff ? off : on).add(definition);
  }
  const star = wanted.includes('*');
  // As in upstream, a name that turns a controller on takes precedence over one that turns it off.
  return all.filter((each) => on.has(each) || (!off.has(each) && star && !each.isOffByDefault));
}
