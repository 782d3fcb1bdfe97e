import { isAbsolute } from 'node:path';
import { quote } from '@coxswain/apimachinery';
import { readConfiguration } from '../../configuration/object-reader.ts';
import { credentialsFrom, readKubeconfig, type WebhookCredentials } from '../../webhook/index.ts';
import type { PluginConfigurationSource } from '../admission-configuration.ts';

/** What `--admission-control-config-file` says to a webhook plug-in. */
export interface WebhookAdmissionConfiguration {
  /** Who we are to a server, named `host:port`. */
  readonly credentials: (server: string) => WebhookCredentials;
}

/** Throws an Error that says what is wrong with the configuration, or with the kubeconfig that it names. */
export async function readWebhookAdmission(
  source: PluginConfigurationSource | undefined,
): Promise<WebhookAdmissionConfiguration | undefined> {
  const file = source && readConfiguration(source.text).string('kubeConfigFile');
  if (!file) return undefined;
  if (!isAbsolute(file))
    throw new Error(`kubeConfigFile: Invalid value: ${quote(file)}: must be an absolute file path`);
  return { credentials: credentialsFrom(await readKubeconfig(file)) };
}
