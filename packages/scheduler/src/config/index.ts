/** KubeSchedulerConfiguration: reading a file, defaults and validation. */

export type { PluginConfig, PluginReference, PluginSet, Plugins, SchedulerProfile } from '../framework/profile.ts';
export { completeConfiguration, defaultSchedulerName } from './complete-configuration.ts';
export { configurationKind } from './configuration-kind.ts';
export type { GivenConfiguration } from './configuration-shape.ts';
export { parseConfiguration, readConfiguration } from './parse-configuration.ts';
export type { ClientConnectionConfig, ExtenderConfig, LeaderElectionConfig, SchedulerConfiguration } from './types.ts';
export { checkConfiguration } from './validate-configuration.ts';
