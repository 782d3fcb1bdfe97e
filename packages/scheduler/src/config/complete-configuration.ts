import type { SchedulerProfile } from '../framework/profile.ts';
import { defaultPlugins } from '../plugins/index.ts';
import type { GivenConfiguration, GivenProfile } from './configuration-shape.ts';
import { mergePlugins } from './merge-plugins.ts';
import type { ExtenderConfig, SchedulerConfiguration } from './types.ts';

/** The default of `spec.schedulerName`. */
export const defaultSchedulerName = 'default-scheduler';

/**
 * Fills in defaults. The name of a single profile defaults to that of the default scheduler; several profiles need
 * explicit names.
 */
export function completeConfiguration(given: GivenConfiguration = {}): SchedulerConfiguration {
  const { leaderElection = {}, clientConnection = {}, profiles = [], extenders = [] } = given;
  const enableProfiling = given.enableProfiling ?? true;
  return {
    parallelism: given.parallelism ?? 16,
    leaderElection: {
      leaderElect: leaderElection.leaderElect ?? true,
      leaseDuration: leaderElection.leaseDuration ?? '15s',
      renewDeadline: leaderElection.renewDeadline ?? '10s',
      retryPeriod: leaderElection.retryPeriod ?? '2s',
      resourceLock: leaderElection.resourceLock || 'leases',
      resourceName: leaderElection.resourceName || 'kube-scheduler',
      resourceNamespace: leaderElection.resourceNamespace || 'kube-system',
    },
    clientConnection: {
      kubeconfig: clientConnection.kubeconfig ?? '',
      acceptContentTypes: clientConnection.acceptContentTypes ?? '',
      contentType: clientConnection.contentType || 'application/vnd.kubernetes.protobuf',
      qps: clientConnection.qps || 50,
      burst: clientConnection.burst || 100,
    },
    enableProfiling,
    enableContentionProfiling: given.enableContentionProfiling ?? enableProfiling,
    percentageOfNodesToScore: given.percentageOfNodesToScore ?? 0,
    podInitialBackoffSeconds: given.podInitialBackoffSeconds ?? 1,
    podMaxBackoffSeconds: given.podMaxBackoffSeconds ?? 10,
    profiles: (profiles.length > 0 ? profiles : [{}]).map((profile) => completeProfile(profile, profiles.length <= 1)),
    extenders: extenders.map(
      ({ urlPrefix = '', managedResources, ...rest }): ExtenderConfig => ({
        urlPrefix,
        ...(managedResources && {
          managedResources: managedResources.map(({ name = '', ...resource }) => ({ name, ...resource })),
        }),
        ...rest,
      }),
    ),
    delayCacheUntilActive: given.delayCacheUntilActive ?? false,
  };
}

function completeProfile(given: GivenProfile, isOnly: boolean): SchedulerProfile {
  const { percentageOfNodesToScore } = given;
  return {
    schedulerName: given.schedulerName ?? (isOnly ? defaultSchedulerName : ''),
    ...(percentageOfNodesToScore !== undefined && { percentageOfNodesToScore }),
    plugins: mergePlugins(defaultPlugins, given.plugins),
    pluginConfig: (given.pluginConfig ?? []).map(({ name = '', args }) => ({
      name,
      ...(args !== undefined && { args }),
    })),
  };
}
