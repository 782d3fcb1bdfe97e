import { formatDuration } from '@coxswain/apimachinery';
import { readConfiguration } from '../../configuration/object-reader.ts';
import { readKubeconfig } from '../../webhook/index.ts';
import type { PluginConfigurationSource } from '../admission-configuration.ts';

/** How the webhook that judges images is asked. */
export interface ImagePolicyWebhookConfiguration {
  readonly kubeConfigFile: string;
  /** How long a yes, and a no, is remembered. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly retryBackoffMs: number;
  /** Images are fine while the webhook cannot be reached. */
  readonly defaultAllow: boolean;
}

/** Zero: the default; -1: none at all. */
interface DurationRule {
  readonly scaleMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
  readonly byDefaultMs: number;
  readonly shown: string;
}

const ttl = { scaleMs: 1000, leastMs: 1000, mostMs: 30 * 60_000, shown: 'between 1s and 30m0s' };
const allowTtl: DurationRule = { ...ttl, byDefaultMs: 5 * 60_000 };
const denyTtl: DurationRule = { ...ttl, byDefaultMs: 30_000 };
const backoff: DurationRule = {
  scaleMs: 1,
  leastMs: 0.000_001,
  mostMs: 5 * 60_000,
  byDefaultMs: 500,
  shown: 'between 1ns and 5m0s',
};

/** The configuration, which there must be, and whose kubeconfig must be one. Throws an Error that says what is wrong. */
export async function readImagePolicyConfiguration(
  source: PluginConfigurationSource | undefined,
): Promise<ImagePolicyWebhookConfiguration> {
  if (!source) throw new Error('no config specified');
  const policy = readConfiguration(source.text).object('imagePolicy');
  const duration = (field: string, { scaleMs, leastMs, mostMs, byDefaultMs, shown }: DurationRule): number => {
    const given = policy?.integer(field) ?? 0;
    if (given === -1) return 0;
    if (given === 0) return byDefaultMs;
    const value = given * scaleMs;
    if (value < leastMs || value > mostMs)
      throw new Error(`valid value is ${shown}, got ${formatDuration(value * 1e6)}`);
    return value;
  };
  const configuration = {
    retryBackoffMs: duration('retryBackoff', backoff),
    allowTtlMs: duration('allowTTL', allowTtl),
    denyTtlMs: duration('denyTTL', denyTtl),
    kubeConfigFile: policy?.string('kubeConfigFile') ?? '',
    defaultAllow: policy?.boolean('defaultAllow') ?? false,
  };
  await readKubeconfig(configuration.kubeConfigFile);
  return configuration;
}
