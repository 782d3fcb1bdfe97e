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

/** What some controllers must be told; those that lack what they cannot do without are left out. */
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
  /** Who signs certificates; without: nobody. */
  readonly signing?: CsrSigningOptions;
  /** PEM; without: nothing is published in namespaces. */
  readonly rootCA?: string;
  /** Without: no tokens are written into Secrets. */
  readonly signToken?: Parameters<typeof serviceAccountTokenController>[0]['signToken'];
}

/**
 * All that there are, in upstream's order but for two: what every pod of a namespace mounts is published early, and roles are
 * aggregated last, which is much work for which nobody waits. They run side by side; the order only says whose first requests are sent first.
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
 * Upstream's names that stand for nothing here, old ones too: the API server itself tells what is wrong with the
 * expressions of ValidatingAdmissionPolicies, and there are no clouds.
 */
const namesWithoutController: readonly string[] = [
  'validatingadmissionpolicy-status-controller',
  ...['service-lb-controller', 'service', 'node-route-controller', 'route'],
  ...['cloud-node-lifecycle-controller', 'cloud-node-lifecycle'],
];

/**
 * Those that `--controllers` asks for: `*` for all that are on by default, a name, a name after a dash for one that is not to
 * run. Throws, in upstream's words, for a name that there is not.
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
  // The first that says something about a controller is heard by upstream too: on before off.
  return all.filter((each) => on.has(each) || (!off.has(each) && star && !each.isOffByDefault));
}
