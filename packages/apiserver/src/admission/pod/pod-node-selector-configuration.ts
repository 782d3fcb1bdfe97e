import { isJsonObject } from '@coxswain/apimachinery';
import type { PluginConfigurationSource } from '../admission-configuration.ts';
import type { PodNodeSelectorConfiguration } from './pod-node-selector.ts';

/** Reads selectors by namespace from a file without a kind. Throws an Error when it is invalid. */
export function readPodNodeSelectors(source: PluginConfigurationSource | undefined): PodNodeSelectorConfiguration {
  const root = source?.value;
  const given = isJsonObject(root) ? root.podNodeSelectorPluginConfig : undefined;
  if (given === undefined || given === null) return new Map();
  if (!isJsonObject(given)) throw new Error('podNodeSelectorPluginConfig must be an object');
  return new Map(
    Object.entries(given).map(([namespace, selector]) => {
      if (typeof selector !== 'string') throw new Error(`podNodeSelectorPluginConfig.${namespace} must be a string`);
      return [namespace, selector];
    }),
  );
}
