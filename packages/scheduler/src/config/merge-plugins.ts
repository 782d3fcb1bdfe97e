import { type ExtensionPoint, extensionPoints } from '../framework/plugin.ts';
import type { PluginReference, PluginSet, Plugins } from '../framework/profile.ts';

/** A plug-in set in a file: everything is optional, names too. */
interface GivenPluginSet {
  readonly enabled?: readonly Partial<PluginReference>[];
  readonly disabled?: readonly Partial<PluginReference>[];
}

export type GivenPlugins = { readonly [P in ExtensionPoint | 'multiPoint']?: GivenPluginSet };

/** Merges a profile's plug-ins into the default ones. */
export function mergePlugins(defaults: readonly PluginReference[], given: GivenPlugins = {}): Plugins {
  const points = Object.keys(extensionPoints) as ExtensionPoint[];
  const sets = points.map((point) => [point, mergePluginSet([], given[point])] as const);
  return {
    multiPoint: mergePluginSet(defaults, given.multiPoint),
    ...Object.fromEntries(sets.filter(([, { enabled, disabled }]) => enabled?.length || disabled?.length)),
  };
}

/** A default plug-in that is enabled again with another weight keeps its position. New plug-ins come last. */
function mergePluginSet(defaults: readonly PluginReference[], given: GivenPluginSet = {}): PluginSet {
  const disabled = (given.disabled ?? []).map(({ name = '' }) => ({ name }));
  const off = new Set(disabled.map(({ name }) => name));
  const custom = (given.enabled ?? []).map(({ name = '', ...rest }) => ({ name, ...rest }));
  const replacements = new Map(custom.map((reference) => [reference.name, reference]));
  const kept = off.has('*') ? [] : defaults.filter(({ name }) => !off.has(name));
  const replaced = new Set(kept.map(({ name }) => replacements.get(name)));
  const enabled = [
    ...kept.map((reference) => replacements.get(reference.name) ?? reference),
    ...custom.filter((reference) => !replaced.has(reference)),
  ];
  return { ...(enabled.length > 0 && { enabled }), ...(disabled.length > 0 && { disabled }) };
}
