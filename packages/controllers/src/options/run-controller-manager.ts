import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { durationToMs } from '@coxswain/apimachinery/time';
import {
  ClientSet,
  type Clock,
  CoreEventRecorder,
  LeaderElector,
  LeaseLock,
  type Logger,
  RESTClient,
  systemClock,
} from '@coxswain/client';
import { parseSigningKey, signJwt } from '@coxswain/client/jwt';
import { loadRestConfig } from '@coxswain/client/kubeconfig';
import { loadKeyPair } from '@coxswain/client/x509';
import { type Completed, withDefaults } from '@coxswain/component-base';
import { type AllControllersOptions, allControllers, chosenControllers } from '../all-controllers.ts';
import { ControllerManager } from '../framework/controller-manager.ts';
import { type ControllerManagerOptions, controllerManagerFlags } from './controller-manager-flags.ts';

type Settings = Completed<typeof controllerManagerFlags>;

/** What is not on the command line. */
export interface ControllerManagerEnvironment {
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called when the controllers begin to work: at once, or when this one has become the leader. */
  readonly onStarted?: () => void;
}

/**
 * Runs the controllers until the signal is aborted; resolves when they have ended. Throws an Error when something that was
 * given cannot be used, and when leadership is lost: whoever runs it should start again.
 */
export async function runControllerManager(
  options: ControllerManagerOptions,
  environment: ControllerManagerEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const settings = withDefaults(controllerManagerFlags, options);
  const { logger, clock = systemClock, env = process.env, onStarted } = environment;
  // Every controller and every informer listens to it.
  setMaxListeners(0, signal);
  const controllers = chosenControllers(
    allControllers(await controllerOptions(settings, clock)),
    settings.controllers ?? ['*'],
  );
  const config = await loadRestConfig({
    env,
    ...(settings.kubeconfig && { path: settings.kubeconfig }),
    ...(settings.master && { overrides: { cluster: { server: settings.master } } }),
  });
  const rest = RESTClient.forConfig({
    ...config,
    clock,
    userAgent: 'kube-controller-manager/v1.36.4 (coxswain)',
    qps: settings.kubeApiQps,
    burst: settings.kubeApiBurst,
  });
  const work = async (until: AbortSignal): Promise<void> => {
    logger.info(`running ${controllers.length} controllers`);
    onStarted?.();
    await new ControllerManager({ rest, controllers, clock, logger }).run(until);
  };
  try {
    if (settings.leaderElect) await lead(settings, { rest, clock, logger }, work, signal);
    else await work(signal);
  } finally {
    await rest.close();
  }
}

/** Works while this one is the leader. */
async function lead(
  settings: Settings,
  { rest, clock, logger }: { rest: RESTClient; clock: Clock; logger: Logger },
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const clients = new ClientSet(rest);
  const recorder = new CoreEventRecorder({
    events: (namespace) => clients.core.v1.events(namespace),
    source: { component: settings.leaderElectResourceName },
    clock,
    logger,
  });
  const elector = new LeaderElector({
    lock: new LeaseLock({
      leases: clients.coordination.v1.leases(settings.leaderElectResourceNamespace),
      name: settings.leaderElectResourceName,
      identity: `${hostname()}_${randomUUID()}`,
      recorder,
    }),
    leaseDurationMs: durationToMs(settings.leaderElectLeaseDuration),
    renewDeadlineMs: durationToMs(settings.leaderElectRenewDeadline),
    retryPeriodMs: durationToMs(settings.leaderElectRetryPeriod),
    releaseOnCancel: true,
    callbacks: {
      onStartedLeading: work,
      onNewLeader: (identity) => logger.info(`the leader is ${identity || 'nobody'}`),
    },
    clock,
    logger,
  });
  try {
    await elector.run(signal);
  } finally {
    await recorder.stop();
  }
  if (!signal.aborted) throw new Error('leader election lost');
}

async function controllerOptions(settings: Settings, clock: Clock): Promise<AllControllersOptions> {
  const { rootCaFile, serviceAccountPrivateKeyFile } = settings;
  const { clusterSigningCertFile: certificateFile, clusterSigningKeyFile: keyFile } = settings;
  const signer =
    certificateFile && keyFile
      ? await loadKeyPair({ certificateFile, keyFile }, () => new Date(clock.now()))
      : undefined;
  const tokenKey =
    serviceAccountPrivateKeyFile && parseSigningKey(await readFile(serviceAccountPrivateKeyFile, 'utf8'));
  return {
    ...(rootCaFile && { rootCA: await readFile(rootCaFile, 'utf8') }),
    ...(signer && {
      signing: { authorities: () => signer, maxDurationMs: durationToMs(settings.clusterSigningDuration) },
    }),
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
