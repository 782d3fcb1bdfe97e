import { readFile } from 'node:fs/promises';
import { durationToMs } from '@coxswain/apimachinery/time';
import type { Clock } from '@coxswain/client';
import { parseSigningKey, signJwt } from '@coxswain/client/jwt';
import type { AllControllersOptions } from '../all-controllers.ts';
import type { ControllerManagerSettings } from './controller-manager-flags.ts';
import { signingOptions } from './signing-options.ts';

/** Converts flags, and the files that they name, to controller options. Throws an Error that describes what cannot be used. */
export async function controllerOptions(
  settings: ControllerManagerSettings,
  clock: Clock,
): Promise<AllControllersOptions> {
  const { rootCaFile, serviceAccountPrivateKeyFile } = settings;
  const signing = await signingOptions(settings, () => new Date(clock.now()));
  const tokenKey =
    serviceAccountPrivateKeyFile && parseSigningKey(await readFile(serviceAccountPrivateKeyFile, 'utf8'));
  return {
    ...(rootCaFile && { rootCA: await readFile(rootCaFile, 'utf8') }),
    ...(signing && { signing }),
    ...(tokenKey && { signToken: (claims: object) => signJwt(claims, tokenKey) }),
    endpoints: { batchPeriodMs: durationToMs(settings.endpointUpdatesBatchPeriod) },
    endpointSlices: {
      maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
      batchPeriodMs: durationToMs(settings.endpointsliceUpdatesBatchPeriod),
    },
    endpointSliceMirroring: {
      maxEndpointsPerSubset: settings.mirroringMaxEndpointsPerSubset,
      batchPeriodMs: durationToMs(settings.mirroringEndpointsliceUpdatesBatchPeriod),
    },
    horizontalPodAutoscaler: {
      syncPeriodMs: durationToMs(settings.horizontalPodAutoscalerSyncPeriod),
      downscaleStabilizationMs: durationToMs(settings.horizontalPodAutoscalerDownscaleStabilization),
      tolerance: settings.horizontalPodAutoscalerTolerance,
      cpuInitializationPeriodMs: durationToMs(settings.horizontalPodAutoscalerCpuInitializationPeriod),
      initialReadinessDelayMs: durationToMs(settings.horizontalPodAutoscalerInitialReadinessDelay),
    },
    legacyTokenCleaner: { cleanUpPeriodMs: durationToMs(settings.legacyServiceAccountTokenCleanUpPeriod) },
    nodeIpam: {
      ...(settings.allocateNodeCidrs && settings.clusterCidr && { clusterCIDRs: settings.clusterCidr }),
      ...(settings.serviceClusterIpRange && { serviceCIDRs: settings.serviceClusterIpRange }),
      nodeCIDRMaskSizeIPv4: settings.nodeCidrMaskSizeIpv4,
      nodeCIDRMaskSizeIPv6: settings.nodeCidrMaskSizeIpv6,
    },
    nodeLifecycle: {
      nodeMonitorPeriodMs: durationToMs(settings.nodeMonitorPeriod),
      nodeMonitorGracePeriodMs: durationToMs(settings.nodeMonitorGracePeriod),
      nodeEvictionRate: settings.nodeEvictionRate,
      secondaryNodeEvictionRate: settings.secondaryNodeEvictionRate,
      unhealthyZoneThreshold: settings.unhealthyZoneThreshold,
      largeClusterSizeThreshold: settings.largeClusterSizeThreshold,
    },
    persistentVolumeBinder: { syncPeriodMs: durationToMs(settings.pvclaimbinderSyncPeriod) },
    podGarbageCollector: { terminatedPodThreshold: settings.terminatedPodGcThreshold },
  };
}
