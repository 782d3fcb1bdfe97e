import { isAbsolute } from 'node:path';
import { quote } from '@coxswain/apimachinery';
import { readConfiguration } from '../../configuration/object-reader.ts';
import { credentialsFrom, readKubeconfig, type WebhookCredentials } from '../../webhook/index.ts';
import type { PluginConfigurationSource } from '../admission-configuration.ts';

/** The configuration of a webhook plug-in in `--admission-control-config-file`. */
export interface WebhookAdmissionConfiguration {
  /** Returns our credentials for a server, by `host:port`. */
  readonly credentials: (server: string) => WebhookCredentials;
}

/** Throws an Error when the configuration or its kubeconfig is invalid. */
export async function readWebhookAdmission(
  source: PluginConfigurationSource | undefined,
): Promise<WebhookAdmissionConfiguration | undefined> {
  const file = source && readConfiguration(source.text).string('kubeConfigFile');
  if (!file) return undefined;
  if (!isAbsolute(file))
    throw new Error(`kubeConfigFile: Invalid value: ${quote(file)}: must be an absolute file path`);
  return { credentials: credentialsFrom(await readKubeconfig(file)) };
}
