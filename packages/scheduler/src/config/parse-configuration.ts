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

/** Reads a file, YAML or JSON, without defaults. Throws an Error for unknown fields and for fields of the wrong type. */
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
 * Reads a KubeSchedulerConfiguration and fills in defaults. `plugins` are those that are not in-tree; their args are read as well. Throws
 * an Error with all problems, as kube-scheduler does.
 */
export function parseConfiguration(text: string, plugins: readonly PluginDefinition[] = []): SchedulerConfiguration {
  const config = completeConfiguration(readConfiguration(text));
  checkConfiguration(config, [...inTreePlugins, ...plugins]);
  return config;
}
