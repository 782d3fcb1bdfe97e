import type { ControllerManagerSettings } from './controller-manager-flags.ts';

/**
 * Returns the configuration that `/configz` shows, in upstream's form. Differs from upstream: settings without an effect here are
 * omitted.
 */
export function configurationOf(settings: ControllerManagerSettings): Readonly<Record<string, unknown>> {
  const files = (CertFile = '', KeyFile = '') => ({ CertFile, KeyFile });
  return {
    'kubecontrollermanager.config.k8s.io': {
      kind: 'KubeControllerManagerConfiguration',
      apiVersion: 'kubecontrollermanager.config.k8s.io/v1alpha1',
      Generic: {
        ClientConnection: {
          kubeconfig: settings.kubeconfig ?? '',
          qps: settings.kubeApiQps,
          burst: settings.kubeApiBurst,
        },
        LeaderElection: {
          leaderElect: settings.leaderElect,
          leaseDuration: settings.leaderElectLeaseDuration,
          renewDeadline: settings.leaderElectRenewDeadline,
          retryPeriod: settings.leaderElectRetryPeriod,
          resourceLock: 'leases',
          resourceName: settings.leaderElectResourceName,
          resourceNamespace: settings.leaderElectResourceNamespace,
        },
        Controllers: settings.controllers,
        Debugging: { EnableProfiling: settings.profiling },
      },
      KubeCloudShared: {
        UseServiceAccountCredentials: settings.useServiceAccountCredentials,
        NodeMonitorPeriod: settings.nodeMonitorPeriod,
        ClusterCIDR: (settings.clusterCidr ?? []).join(','),
        AllocateNodeCIDRs: settings.allocateNodeCidrs,
      },
      CSRSigningController: {
        ClusterSigningCertFile: settings.clusterSigningCertFile ?? '',
        ClusterSigningKeyFile: settings.clusterSigningKeyFile ?? '',
        KubeletServingSignerConfiguration: files(
          settings.clusterSigningKubeletServingCertFile,
          settings.clusterSigningKubeletServingKeyFile,
        ),
        KubeletClientSignerConfiguration: files(
          settings.clusterSigningKubeletClientCertFile,
          settings.clusterSigningKubeletClientKeyFile,
        ),
        KubeAPIServerClientSignerConfiguration: files(
          settings.clusterSigningKubeApiserverClientCertFile,
          settings.clusterSigningKubeApiserverClientKeyFile,
        ),
        LegacyUnknownSignerConfiguration: files(
          settings.clusterSigningLegacyUnknownCertFile,
          settings.clusterSigningLegacyUnknownKeyFile,
        ),
        ClusterSigningDuration: settings.clusterSigningDuration,
      },
      EndpointController: { EndpointUpdatesBatchPeriod: settings.endpointUpdatesBatchPeriod },
      EndpointSliceController: {
        MaxEndpointsPerSlice: settings.maxEndpointsPerSlice,
        EndpointUpdatesBatchPeriod: settings.endpointsliceUpdatesBatchPeriod,
      },
      EndpointSliceMirroringController: {
        MirroringMaxEndpointsPerSubset: settings.mirroringMaxEndpointsPerSubset,
        MirroringEndpointUpdatesBatchPeriod: settings.mirroringEndpointsliceUpdatesBatchPeriod,
      },
      HPAController: {
        HorizontalPodAutoscalerSyncPeriod: settings.horizontalPodAutoscalerSyncPeriod,
        HorizontalPodAutoscalerDownscaleStabilizationWindow: settings.horizontalPodAutoscalerDownscaleStabilization,
        HorizontalPodAutoscalerTolerance: settings.horizontalPodAutoscalerTolerance,
        HorizontalPodAutoscalerCPUInitializationPeriod: settings.horizontalPodAutoscalerCpuInitializationPeriod,
        HorizontalPodAutoscalerInitialReadinessDelay: settings.horizontalPodAutoscalerInitialReadinessDelay,
      },
      LegacySATokenCleaner: { CleanUpPeriod: settings.legacyServiceAccountTokenCleanUpPeriod },
      NodeIPAMController: {
        ServiceCIDR: settings.serviceClusterIpRange?.[0] ?? '',
        SecondaryServiceCIDR: settings.serviceClusterIpRange?.[1] ?? '',
        NodeCIDRMaskSizeIPv4: settings.nodeCidrMaskSizeIpv4,
        NodeCIDRMaskSizeIPv6: settings.nodeCidrMaskSizeIpv6,
      },
      NodeLifecycleController: {
        NodeEvictionRate: settings.nodeEvictionRate,
        SecondaryNodeEvictionRate: settings.secondaryNodeEvictionRate,
        NodeMonitorGracePeriod: settings.nodeMonitorGracePeriod,
        LargeClusterSizeThreshold: settings.largeClusterSizeThreshold,
        UnhealthyZoneThreshold: settings.unhealthyZoneThreshold,
      },
      PersistentVolumeBinderController: { PVClaimBinderSyncPeriod: settings.pvclaimbinderSyncPeriod },
      PodGCController: { TerminatedPodGCThreshold: settings.terminatedPodGcThreshold },
      SAController: {
        ServiceAccountKeyFile: settings.serviceAccountPrivateKeyFile ?? '',
        RootCAFile: settings.rootCaFile ?? '',
      },
    },
  };
}
