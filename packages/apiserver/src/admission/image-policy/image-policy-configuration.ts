import { formatDuration } from '@coxswain/apimachinery';
import { readConfiguration } from '../../configuration/object-reader.ts';
import { readKubeconfig } from '../../webhook/index.ts';
import type { PluginConfigurationSource } from '../admission-configuration.ts';

/** The configuration of the webhook for image policies. */
export interface ImagePolicyWebhookConfiguration {
  readonly kubeConfigFile: string;
  /** How long allowed and denied results are cached. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly retryBackoffMs: number;
  /** Whether images are allowed when the webhook call fails. */
  readonly defaultAllow: boolean;
}

/** Limits of a duration. A configured 0 is the default, -1 is no duration. */
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

/** Reads the configuration, which is required, and checks its kubeconfig. Throws an Error with the problem. */
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
