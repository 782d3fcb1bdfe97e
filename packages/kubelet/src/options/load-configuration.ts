import { FeatureGates } from '@coxswain/api';
import { messageOf } from '@coxswain/apimachinery/errors';
import { parseNamedVerbosity } from '@coxswain/apimachinery/log';
import { camelCase, OptionsError, withDefaults } from '@coxswain/component-base';
import {
  applyDropIns,
  type KubeletConfiguration,
  loadConfigurationFile,
  unsupportedFields,
  type ValidationMachine,
  validateConfiguration,
} from '../configuration/index.ts';
import { type ConfigurationFlag, configurationFlags, flagDefaults } from './configuration-flags.ts';
import { type KubeletCommandOptions, nodeFlags } from './kubelet-flags.ts';

/**
 * Loads the configuration of a command line: the defaults or the file of `--config`, over it the files of `--config-dir`, over these the
 * flags. Throws an Error for a file that cannot be read, and an OptionsError with all problems of the result.
 */
export async function loadConfiguration(
  options: KubeletCommandOptions,
  machine: ValidationMachine,
): Promise<KubeletConfiguration> {
  const { config: file, configDir } = withDefaults(nodeFlags, options);
  const ofFile = file === '' ? flagDefaults : await loadConfigurationFile(file);
  const ofFiles = configDir === '' ? ofFile : await applyDropIns(ofFile, configDir);
  const config = withFlags(ofFiles, options);
  checkGates(config);
  const problems = validateConfiguration(config, machine);
  if (problems.length > 0) {
    const list = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
    throw new OptionsError([`failed to validate kubelet configuration, error: ${list}`]);
  }
  const missing = unsupportedFields(config);
  if (missing.length > 0) throw new OptionsError(missing);
  return config;
}

function checkGates({ featureGates }: KubeletConfiguration): void {
  try {
    new FeatureGates(featureGates);
  } catch (cause) {
    const reason = `failed to set feature gates from initial flags-based config: ${messageOf(cause)}`;
    throw new OptionsError([reason]);
  }
}

/** Sets the fields for which flags are given. */
function withFlags(config: KubeletConfiguration, options: KubeletCommandOptions): KubeletConfiguration {
  const given: Readonly<Record<string, unknown>> = options;
  const flags: Readonly<Record<string, ConfigurationFlag<unknown>>> = configurationFlags;
  let result = config;
  for (const [name, flag] of Object.entries(flags)) {
    const value = given[camelCase(name)];
    if (value !== undefined) result = flag.set(result, value);
  }
  return {
    ...result,
    // Flags add to the gates of files.
    featureGates: { ...config.featureGates, ...result.featureGates },
    logging: loggingWithFlags(result.logging, options),
  };
}

function loggingWithFlags(
  logging: KubeletConfiguration['logging'],
  { loggingFormat, v, vmodule }: KubeletCommandOptions,
): KubeletConfiguration['logging'] {
  return {
    ...logging,
    ...(loggingFormat !== undefined && { format: loggingFormat }),
    ...(v !== undefined && { verbosity: v }),
    ...(vmodule !== undefined && {
      vmodule: parseNamedVerbosity(vmodule).map(({ pattern, level }) => ({ filePattern: pattern, verbosity: level })),
    }),
  };
}
