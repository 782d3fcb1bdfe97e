import { stat } from 'node:fs/promises';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type Logger, silentLogger } from '../observe/index.ts';
import { resolvePaths } from './file-references.ts';
import { errorCode, goFileError, readTextIfExists } from './files.ts';
import { type KubeConfig, newKubeConfig } from './kubeconfig.ts';
import { type KubeConfigLocation, kubeConfigFiles } from './kubeconfig-files.ts';
import { parseKubeConfig } from './parse-kubeconfig.ts';

export interface LoadKubeConfigOptions extends KubeConfigLocation {
  readonly logger?: Logger;
}

/**
 * Loads and merges the kubeconfig files, with absolute paths. The first entry of each name and the first current
 * context win. Missing files are skipped, except one given by `path`. Rejects with an Error with clientcmd's message
 * for files that cannot be read or parsed.
 */
export async function loadKubeConfig(options: LoadKubeConfigOptions = {}): Promise<KubeConfig> {
  const { config } = await loadFiles(options, { resolve: true });
  return config;
}

/** A config with the file of each of its entries. */
export interface LocatedKubeConfig {
  readonly config: KubeConfig;
  readonly origins: Readonly<Record<Section, ReadonlyMap<string, string>>>;
}

/** The parts of a config that are lists in the file. */
export type Section = 'clusters' | 'users' | 'contexts';

export async function loadFiles(
  options: LoadKubeConfigOptions,
  { resolve, mayBeMissing = false }: { readonly resolve: boolean; readonly mayBeMissing?: boolean },
): Promise<LocatedKubeConfig> {
  if (options.path && !mayBeMissing) await mustExist(options.path);
  const origins = {
    clusters: new Map<string, string>(),
    users: new Map<string, string>(),
    contexts: new Map<string, string>(),
  };
  const config = newKubeConfig();
  const files = kubeConfigFiles(options);
  const problems: Error[] = [];
  let found = 0;
  for (const file of files) {
    try {
      const text = await readTextIfExists(file);
      if (text === undefined) continue;
      const one = await parseKubeConfig(text);
      found++;
      if (resolve) resolvePaths(one, file);
      addMissing(config.clusters, one.clusters, origins.clusters, file);
      addMissing(config.users, one.users, origins.users, file);
      addMissing(config.contexts, one.contexts, origins.contexts, file);
      config.currentContext ||= one.currentContext;
    } catch (cause) {
      problems.push(new Error(`error loading config file "${file}": ${messageOf(cause)}`, { cause }));
    }
  }
  if (problems.length > 0) throw aggregate(problems);
  if (found === 0 && !options.path && (options.env ?? process.env).KUBECONFIG)
    (options.logger ?? silentLogger).info('Config not found', { files });
  return { config, origins };
}

async function mustExist(file: string): Promise<void> {
  try {
    await stat(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw goFileError('stat', file, error);
  }
}

function addMissing<T>(into: Map<string, T>, from: Map<string, T>, origins: Map<string, string>, file: string): void {
  for (const [name, entry] of from) {
    if (into.has(name)) continue;
    into.set(name, entry);
    origins.set(name, file);
  }
}

function aggregate(problems: readonly Error[]): Error {
  const [first] = problems;
  if (problems.length === 1) return first!;
  return new AggregateError(problems, `[${problems.map(messageOf).join(', ')}]`);
}
