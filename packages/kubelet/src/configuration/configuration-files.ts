import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { messageOf } from '@coxswain/apimachinery/errors';
import { applyMergePatch } from '@coxswain/apimachinery/patch';
import { completeConfiguration, defaultEvictionHard, type KubeletConfiguration } from './complete-configuration.ts';
import { configurationKind, configurationShape, type GivenConfiguration } from './configuration-shape.ts';
import { decodeConfiguration, decodeDropIn } from './decode-configuration.ts';
import { readFields } from './read-fields.ts';

/** Reads the file of `--config`, with defaults. Throws an Error with upstream's message. */
export async function loadConfigurationFile(file: string): Promise<KubeletConfiguration> {
  const path = resolve(file);
  try {
    const text = await readText(path, 'kubelet config file');
    const given = withAbsolutePaths(
      decoding(() => decodeConfiguration(text)),
      dirname(path),
    );
    const config = completeConfiguration(given);
    const { evictionHard, mergeDefaultEvictionSettings: isMerged } = config;
    return { ...config, evictionHard: { ...((isMerged || !evictionHard) && defaultEvictionHard), ...evictionHard } };
  } catch (cause) {
    const reason = `failed to load Kubelet config file ${file}, error ${messageOf(cause)}`;
    throw new Error(`failed to load kubelet config file, path: ${file}, error: ${reason}`, { cause });
  }
}

/**
 * Applies the files of `--config-dir`: those named `*.conf`, also in subdirectories, in lexical order. Lists are replaced, objects merged.
 * Throws an Error with upstream's message, which names the file.
 */
export async function applyDropIns(base: KubeletConfiguration, directory: string): Promise<KubeletConfiguration> {
  try {
    let merged: unknown = base;
    for (const file of await dropInFiles(directory)) merged = applyMergePatch(merged, await loadDropIn(file));
    return completeConfiguration(readFields(merged, configurationShape, { kind: configurationKind.kind }));
  } catch (cause) {
    throw new Error(
      `failed to merge kubelet configs: failed to walk through kubelet dropin directory "${directory}": ${messageOf(cause)}`,
      { cause },
    );
  }
}

async function loadDropIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const text = await readText(resolve(file), 'drop-in kubelet config file');
    return decodeDropIn(text);
  } catch (cause) {
    const reason = `failed to load drop-in kubelet config file ${file}, error ${messageOf(cause)}`;
    throw new Error(`failed to load kubelet dropin file, path: ${file}, error: ${reason}`, { cause });
  }
}

/** In the order of Go's `filepath.WalkDir`: each directory's entries sorted, with directories among them. */
async function dropInFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) files.push(...(await dropInFiles(path)));
    else if (extname(entry.name) === '.conf') files.push(path);
  }
  return files;
}

async function readText(path: string, what: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`failed to read ${what} "${path}", error: ${reasonOf(path, cause)}`, { cause });
  });
  if (text === '') throw new Error(`kubelet config file "${path}" was empty`);
  return text;
}

/** Go's words for the usual reason. */
function reasonOf(path: string, cause: unknown): string {
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  return isMissing ? `open ${path}: no such file or directory` : messageOf(cause);
}

function decoding<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new Error(`failed to decode: ${messageOf(cause)}`, { cause });
  }
}

/** Paths in a configuration file are relative to its directory. */
function withAbsolutePaths(given: GivenConfiguration, directory: string): GivenConfiguration {
  const absolute = (path: string): string => (path === '' ? '' : resolve(directory, path));
  const names = [
    'staticPodPath',
    'tlsCertFile',
    'tlsPrivateKeyFile',
    'resolvConf',
    'volumePluginDir',
    'podLogsDir',
  ] as const;
  const paths = names.flatMap((name) => (given[name] === undefined ? [] : [[name, absolute(given[name])]]));
  const clientCAFile = given.authentication?.x509?.clientCAFile;
  return {
    ...given,
    ...Object.fromEntries(paths),
    ...(clientCAFile !== undefined && {
      authentication: { ...given.authentication, x509: { clientCAFile: absolute(clientCAFile) } },
    }),
  };
}
