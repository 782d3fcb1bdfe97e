import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isJsonObject, parseYaml, quote, stringifyJson } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { ObjectReader } from '../configuration/object-reader.ts';
import type { EventLimit } from './event-rate-limit/event-rate-limit.ts';
import type { ImagePolicyWebhookConfiguration } from './image-policy/image-policy-configuration.ts';
import type { PodNodeSelectorConfiguration } from './pod/pod-node-selector.ts';
import type { PodTolerationRestrictionConfiguration } from './pod/pod-toleration-restriction.ts';
import type { PodSecurityConfiguration } from './pod-security/index.ts';
import type { ResourceQuotaConfiguration } from './quota/index.ts';
import type { WebhookAdmissionConfiguration } from './webhook/index.ts';

/** The plug-in configurations of `--admission-control-config-file`, by plug-in. Absent for disabled plug-ins. */
export interface AdmissionConfiguration {
  readonly EventRateLimit?: readonly EventLimit[];
  readonly ImagePolicyWebhook?: ImagePolicyWebhookConfiguration;
  readonly MutatingAdmissionWebhook?: WebhookAdmissionConfiguration;
  readonly PodNodeSelector?: PodNodeSelectorConfiguration;
  readonly PodSecurity?: PodSecurityConfiguration;
  readonly PodTolerationRestriction?: PodTolerationRestrictionConfiguration;
  readonly ValidatingAdmissionWebhook?: WebhookAdmissionConfiguration;
  readonly ResourceQuota?: ResourceQuotaConfiguration;
}

/** The configuration of one plug-in in the file. */
export interface PluginConfigurationSource {
  /** The source text, for error messages. */
  readonly text: string;
  readonly value: unknown;
}

/** Reads the configuration of a plug-in, which may be missing. Throws an Error with upstream's message. */
type ReadConfiguration<T> = (source: PluginConfigurationSource | undefined) => T | Promise<T>;

/** By plug-in. Loaded for enabled plug-ins only. */
const readers: {
  readonly [Name in keyof AdmissionConfiguration]-?: () => Promise<ReadConfiguration<AdmissionConfiguration[Name]>>;
} = {
  EventRateLimit: async () => (await import('./event-rate-limit/event-rate-limit-configuration.ts')).readEventLimits,
  ImagePolicyWebhook: async () =>
    (await import('./image-policy/image-policy-configuration.ts')).readImagePolicyConfiguration,
  MutatingAdmissionWebhook: async () => (await import('./webhook/index.ts')).readWebhookAdmission,
  PodNodeSelector: async () => (await import('./pod/pod-node-selector-configuration.ts')).readPodNodeSelectors,
  PodSecurity: async () => {
    const { podSecurityConfigurationGroup, readPodSecurityConfiguration } = await import('./pod-security/index.ts');
    const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${podSecurityConfigurationGroup}/${version}`);
    return (source) => source && readPodSecurityConfiguration(ofKind(source, versions, 'PodSecurityConfiguration'));
  },
  PodTolerationRestriction: async () =>
    (await import('./pod/pod-toleration-restriction-configuration.ts')).readTolerationRestriction,
  ValidatingAdmissionWebhook: async () => (await import('./webhook/index.ts')).readWebhookAdmission,
  ResourceQuota: async () => {
    const { readResourceQuotaConfiguration, resourceQuotaConfigurationKind } = await import('./quota/index.ts');
    return (source) => {
      if (!source) return undefined;
      const { apiVersions, kind } = resourceQuotaConfigurationKind(source.value);
      return readResourceQuotaConfiguration(ofKind(source, apiVersions, kind));
    };
  },
};

const kinds = ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'];

/**
 * Reads the file, if any, and the configurations of enabled plug-ins. Throws an Error with upstream's message.
 *
 * Differs from upstream: the messages for fields of a wrong type.
 */
export async function loadAdmissionConfiguration(
  path: string | undefined,
  enabled: ReadonlySet<string>,
): Promise<AdmissionConfiguration> {
  const sources = path ? await readSources(path) : undefined;
  const read = Object.entries(readers)
    .filter(([name]) => enabled.has(name))
    .map(async ([name, loadReader]) => {
      const source = await sources?.(name);
      try {
        const reader = await loadReader();
        const configuration = await reader(source);
        return configuration === undefined ? [] : [[name, configuration]];
      } catch (cause) {
        throw new Error(`couldn't init admission plugin ${quote(name)}: ${messageOf(cause)}`, { cause });
      }
    });
  return Object.fromEntries((await Promise.all(read)).flat());
}

type Sources = (name: string) => Promise<PluginConfigurationSource | undefined>;

async function readSources(path: string): Promise<Sources> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new Error(
      `failed to read plugin config: unable to read admission control configuration from ${quote(path)} [${messageOf(cause)}]`,
      { cause },
    );
  }
  try {
    return sourcesIn(text, path);
  } catch (cause) {
    throw new Error(`failed to read plugin config: ${messageOf(cause)}`, { cause });
  }
}

/** These plug-ins had files of their own before AdmissionConfiguration existed. */
const legacyKeys: Readonly<Record<string, string>> = {
  ImagePolicyWebhook: 'imagePolicy',
  PodNodeSelector: 'podNodeSelectorPluginConfig',
};

function sourcesIn(text: string, path: string): Sources {
  const { value, duplicateKeys } = parseYaml(text);
  if (isJsonObject(value) && value.kind === undefined && Object.values(legacyKeys).some((key) => key in value))
    return async (name) => (Object.hasOwn(legacyKeys, name) ? { text, value } : undefined);
  const reader = ofKind({ text, value }, kinds, 'AdmissionConfiguration');
  const plugins = reader.objects('plugins').map((plugin) => ({
    name: plugin.string('name') ?? '',
    path: plugin.string('path') ?? '',
    configuration: plugin.any('configuration'),
  }));
  reader.ignore('apiVersion', 'kind');
  const strictErrors = [
    ...(duplicateKeys.length > 0 ? [`yaml: unmarshal errors:\n  ${duplicateKeys.join('\n  ')}`] : []),
    ...reader.unknown.map((field) => `unknown field ${quote(field)}`),
  ];
  if (strictErrors.length > 0) throw new Error(`strict decoding error: ${strictErrors.join(', ')}`);
  return async (name) => {
    const plugin = plugins.find((candidate) => candidate.name === name);
    if (plugin?.configuration !== undefined)
      return { text: stringifyJson(plugin.configuration), value: plugin.configuration };
    if (!plugin?.path) return undefined;
    const file = resolve(dirname(path), plugin.path);
    try {
      const content = await readFile(file, 'utf8');
      return { text: content, value: parseYaml(content).value };
    } catch (cause) {
      throw new Error(`Couldn't open admission plugin configuration ${file}: ${messageOf(cause)}`, { cause });
    }
  };
}

/** Returns a reader for an object of that kind and version. Throws an Error with upstream's message for others. */
export function ofKind(
  { text, value }: PluginConfigurationSource,
  apiVersions: readonly string[],
  kind: string,
): ObjectReader {
  const object = isJsonObject(value) ? value : {};
  if (!object.kind) throw new Error(`Object 'Kind' is missing in '${text}'`);
  if (!object.apiVersion) throw new Error(`Object 'apiVersion' is missing in '${text}'`);
  if (object.kind !== kind || !apiVersions.includes(String(object.apiVersion)))
    throw new Error(
      `no kind ${quote(String(object.kind))} is registered for version ${quote(String(object.apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  return new ObjectReader(object, '');
}
