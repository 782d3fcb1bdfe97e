import { readFile } from 'node:fs/promises';
import { stringifyYaml } from '@coxswain/apimachinery/codec/yaml';
import { completeConfiguration } from '../config/complete-configuration.ts';
import { configurationKind } from '../config/configuration-kind.ts';
import type { GivenConfiguration } from '../config/configuration-shape.ts';
import { readConfiguration } from '../config/parse-configuration.ts';
import type { SchedulerConfiguration } from '../config/types.ts';
import { checkConfiguration } from '../config/validate-configuration.ts';
import type { PluginDefinition } from '../framework/handle.ts';
import { inTreePlugins } from '../plugins/index.ts';
import type { SchedulerCommandOptions } from './scheduler-flags.ts';

/**
 * Loads the configuration of a command line: from the file of `--config`, or else from the deprecated flags. Leader election flags apply in
 * both cases. Throws an Error with all problems.
 */
export async function loadConfiguration(
  options: SchedulerCommandOptions,
  plugins: readonly PluginDefinition[] = [],
): Promise<SchedulerConfiguration> {
  const given = options.config ? readConfiguration(await readFile(options.config, 'utf8')) : givenByFlags(options);
  const config = completeConfiguration({
    ...given,
    leaderElection: { ...given.leaderElection, ...leaderElectionFlags(options) },
  });
  checkConfiguration(config, [...inTreePlugins, ...plugins]);
  return config;
}

function givenByFlags(options: SchedulerCommandOptions): GivenConfiguration {
  const { kubeconfig, kubeApiQps, kubeApiBurst, profiling = true, contentionProfiling = true } = options;
  return {
    enableProfiling: profiling,
    enableContentionProfiling: contentionProfiling,
    clientConnection: {
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(kubeApiQps !== undefined && { qps: kubeApiQps }),
      ...(kubeApiBurst !== undefined && { burst: kubeApiBurst }),
    },
  };
}

function leaderElectionFlags(options: SchedulerCommandOptions): GivenConfiguration['leaderElection'] {
  const fields = {
    leaderElect: options.leaderElect,
    leaseDuration: options.leaderElectLeaseDuration,
    renewDeadline: options.leaderElectRenewDeadline,
    retryPeriod: options.leaderElectRetryPeriod,
    resourceLock: options.leaderElectResourceLock,
    resourceName: options.leaderElectResourceName,
    resourceNamespace: options.leaderElectResourceNamespace,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Formats a configuration for `--write-config-to`; `--config` can read it. Differs from upstream: args of plug-ins are written as given,
 * without their defaults.
 */
export const formatConfiguration = (config: SchedulerConfiguration): string =>
  stringifyYaml({ ...configurationKind, ...config });
