import { isDeepStrictEqual } from 'node:util';
import { relativizeCluster, relativizeUser } from './file-references.ts';
import { readTextIfExists } from './files.ts';
import type { KubeConfig } from './kubeconfig.ts';
import { defaultKubeConfigFile, type KubeConfigLocation, kubeConfigFiles } from './kubeconfig-files.ts';
import { type LocatedKubeConfig, loadFiles, type Section } from './load-kubeconfig.ts';
import { type LockOptions, withLockedFiles } from './locked-files.ts';
import { decodeKubeConfig, parseDocument } from './parse-kubeconfig.ts';
import { replaceFile } from './replace-file.ts';

export interface ModifyKubeConfigOptions extends KubeConfigLocation, LockOptions {
  /** Write paths in or below the kubeconfig's directory as relative paths. */
  readonly relativizePaths?: boolean;
}

/**
 * Modifies kubeconfig files: `modify` gets the merged contents, with paths as written, and changes them in place. Changes
 * are written: an entry to the file it came from, a new entry and the current context to the first file that exists.
 * A file is created if none exists. The rest of each file is kept, including unknown fields; comments are lost.
 *
 * All files are locked meanwhile, so that no concurrent change is lost. Rejects when a file is not a kubeconfig; nothing
 * is written then.
 *
 * @example
 * await modifyKubeConfig((config) => {
 *   config.clusters.set('dev', { server: 'https://127.0.0.1:6443' });
 *   config.contexts.set('dev', { cluster: 'dev', user: 'dev' });
 *   config.currentContext = 'dev';
 * });
 */
export async function modifyKubeConfig(
  modify: (config: KubeConfig) => void | Promise<void>,
  options: ModifyKubeConfigOptions = {},
): Promise<void> {
  await withLockedFiles(kubeConfigFiles(options), options, async () => {
    const before = await loadFiles(options, { resolve: false, mayBeMissing: true });
    const after = copyOf(before.config);
    await modify(after);
    const changes = await changesBetween(before, after, options);
    const written: [file: string, text: string][] = [];
    for (const [file, change] of changes) written.push([file, await changedText(file, change)]);
    for (const [file, text] of written) await replaceFile(file, text);
  });
}

const sections: readonly Section[] = ['clusters', 'users', 'contexts'];

/** The field of a list entry that holds the value. */
const valueField = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;

/** The changes to one file. Entries that are undefined are removed. */
interface FileChange {
  readonly entries: Record<Section, Map<string, object | undefined>>;
  currentContext?: string;
}

const copyOf = (config: KubeConfig): KubeConfig => structuredClone(config);

async function changesBetween(
  { config: before, origins }: LocatedKubeConfig,
  after: KubeConfig,
  options: ModifyKubeConfigOptions,
): Promise<Map<string, FileChange>> {
  const changes = new Map<string, FileChange>();
  const changeOf = (file: string): FileChange => {
    const found = changes.get(file) ?? { entries: { clusters: new Map(), users: new Map(), contexts: new Map() } };
    changes.set(file, found);
    return found;
  };
  const newEntriesGoTo = await defaultKubeConfigFile(options);
  for (const section of sections) {
    const entries: ReadonlyMap<string, object> = after[section];
    for (const [name, entry] of entries) {
      if (isDeepStrictEqual(entry, before[section].get(name))) continue;
      const file = origins[section].get(name) ?? newEntriesGoTo;
      changeOf(file).entries[section].set(name, options.relativizePaths ? relativized(section, entry, file) : entry);
    }
    for (const [name, file] of origins[section]) {
      if (!entries.has(name)) changeOf(file).entries[section].set(name, undefined);
    }
  }
  if (after.currentContext !== before.currentContext) {
    const file = after.currentContext ? newEntriesGoTo : await fileWithCurrentContext(options);
    changeOf(file).currentContext = after.currentContext;
  }
  return changes;
}

function relativized(section: Section, entry: object, file: string): object {
  if (section === 'clusters') return relativizeCluster(entry, file);
  return section === 'users' ? relativizeUser(entry, file) : entry;
}

/** The file that sets the effective current context. */
async function fileWithCurrentContext(options: ModifyKubeConfigOptions): Promise<string> {
  const files = kubeConfigFiles(options);
  for (const file of files) {
    const { currentContext } = decodeKubeConfig(await parseDocument((await readTextIfExists(file)) ?? ''));
    if (currentContext) return file;
  }
  return files[0]!;
}

async function changedText(file: string, { entries, currentContext }: FileChange): Promise<string> {
  const document = new Map<string, unknown>(Object.entries(await parseDocument((await readTextIfExists(file)) ?? '')));
  document.set('apiVersion', 'v1');
  document.set('kind', 'Config');
  for (const section of sections) {
    const list = document.get(section);
    document.set(section, changedList(Array.isArray(list) ? list : [], entries[section], valueField[section]));
  }
  document.set('current-context', currentContext ?? document.get('current-context') ?? '');
  const { stringifyYaml } = await import('@coxswain/apimachinery/codec/yaml');
  return stringifyYaml(Object.fromEntries(document));
}

/** Differs from client-go: entries keep their order, and new ones are appended. */
function changedList(
  list: readonly unknown[],
  changes: ReadonlyMap<string, object | undefined>,
  field: string,
): unknown[] {
  const left = new Map(changes);
  const result: unknown[] = [];
  for (const entry of list) {
    const name = nameOf(entry);
    if (!left.has(name)) {
      result.push(entry);
      continue;
    }
    const value = left.get(name);
    left.delete(name);
    if (value) result.push({ ...(typeof entry === 'object' ? entry : {}), name, [field]: value });
  }
  for (const [name, value] of left) if (value) result.push({ name, [field]: value });
  return result;
}

function nameOf(entry: unknown): string {
  const isNamed = typeof entry === 'object' && entry !== null && 'name' in entry && typeof entry.name === 'string';
  return isNamed ? String(entry.name) : '';
}
