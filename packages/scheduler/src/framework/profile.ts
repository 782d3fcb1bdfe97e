import type { ExtensionPoint } from './plugin.ts';

/** A reference to a plug-in at an extension point. */
export interface PluginReference {
  readonly name: string;
  /** The weight of its scores; for Score only. */
  readonly weight?: number;
}

export interface PluginSet {
  readonly enabled?: readonly PluginReference[];
  /** `*` disables all. */
  readonly disabled?: readonly PluginReference[];
}

/** Plug-ins by extension point; those of `multiPoint` take part at every extension point that they implement. */
export type Plugins = { readonly [P in ExtensionPoint | 'multiPoint']?: PluginSet };

export interface PluginConfig {
  readonly name: string;
  readonly args?: unknown;
}

/** The configuration for pods that select it by `spec.schedulerName`. */
export interface SchedulerProfile {
  readonly schedulerName: string;
  /** The percentage of nodes at which the search for feasible nodes stops; 0: adaptive, lower for larger clusters. */
  readonly percentageOfNodesToScore?: number;
  readonly plugins: Plugins;
  readonly pluginConfig: readonly PluginConfig[];
}
