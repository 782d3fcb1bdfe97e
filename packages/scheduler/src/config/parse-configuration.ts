import { parseYaml } from '@coxswain/apimachinery/codec/yaml';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { readArgsOfShape } from '../framework/args-shape.ts';
import type { PluginDefinition } from '../framework/handle.ts';
import { inTreePlugins } from '../plugins/index.ts';
import { completeConfiguration } from './complete-configuration.ts';
import { configurationKind } from './configuration-kind.ts';
import { configurationShape, type GivenConfiguration } from './configuration-shape.ts';
import type { SchedulerConfiguration } from './types.ts';
import { checkConfiguration } from './validate-configuration.ts';

/** What a file says, without defaults. YAML or JSON; nothing may stand in it that nobody reads. Throws an Error. */
export function readConfiguration(text: string): GivenConfiguration {
  let value: unknown;
  try {
    ({ value } = parseYaml(text));
  } catch (cause) {
    throw new Error(`couldn't decode the configuration: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  const { apiVersion, kind, ...fields } = isJsonObject(value) ? value : {};
  if (!kind) throw new Error(`Object 'Kind' is missing in '${text}'`);
  if (!apiVersion) throw new Error(`Object 'apiVersion' is missing in '${text}'`);
  if (apiVersion !== configurationKind.apiVersion || kind !== configurationKind.kind) {
    throw new Error(`no kind "${kind}" is registered for version "${apiVersion}"`);
  }
  return readArgsOfShape(fields, configurationShape);
}

/**
 * Reads a KubeSchedulerConfiguration, with its defaults. `plugins` are those that are not in tree, whose args are read too.
 * Throws an Error that names everything wrong, as kube-scheduler does.
 */
export function parseConfiguration(text: string, plugins: readonly PluginDefinition[] = []): SchedulerConfiguration {
  const config = completeConfiguration(readConfiguration(text));
  checkConfiguration(config, [...inTreePlugins, ...plugins]);
  return config;
}
