import type { ExtensionPoint } from './plugin.ts';

/** A plug-in at an extension point. */
export interface PluginReference {
  readonly name: string;
  /** What its scores count; of Score only. */
  readonly weight?: number;
}

export interface PluginSet {
  readonly enabled?: readonly PluginReference[];
  /** `*` is all of them. */
  readonly disabled?: readonly PluginReference[];
}

/** Plug-ins by extension point; those of `multiPoint` take part wherever they can. */
export type Plugins = { readonly [P in ExtensionPoint | 'multiPoint']?: PluginSet };

export interface PluginConfig {
  readonly name: string;
  readonly args?: unknown;
}

/** A way to schedule the pods that ask for it by `spec.schedulerName`. */
export interface SchedulerProfile {
  readonly schedulerName: string;
  /** How many of all nodes are looked for that a pod may be on; 0: fewer, the more there are. */
  readonly percentageOfNodesToScore?: number;
  readonly plugins: Plugins;
  readonly pluginConfig: readonly PluginConfig[];
}
