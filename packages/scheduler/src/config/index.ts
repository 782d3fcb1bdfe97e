/** KubeSchedulerConfiguration: what a file says, its defaults, and what is wrong with it. */
export { completeConfiguration, defaultSchedulerName } from './complete-configuration.ts';
export { configurationKind } from './configuration-kind.ts';
export type { GivenConfiguration } from './configuration-shape.ts';
export { parseConfiguration, readConfiguration } from './parse-configuration.ts';
export type {
  ClientConnectionConfig,
  ExtenderConfig,
  LeaderElectionConfig,
  PluginConfig,
  PluginReference,
  PluginSet,
  Plugins,
  SchedulerConfiguration,
  SchedulerProfile,
} from './types.ts';
export { checkConfiguration } from './validate-configuration.ts';
