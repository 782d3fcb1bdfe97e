import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Logger } from '@coxswain/apimachinery/log';
import {
  type NetworkConfiguration,
  parseConfigurationList,
  parsePlugin,
  parseSingleConfiguration,
} from './network-configuration.ts';

export interface ConfigurationDirectoryOptions {
  /** /etc/cni/net.d by convention. */
  readonly directory: string;
  readonly logger: Logger;
}

/**
 * The network configurations of a node. The first valid file, by name, is the network of pods.
 *
 * Every call looks whether files have changed, which costs a listing and a stat for each, and reads them only then.
 */
export class ConfigurationDirectory {
  readonly #directory: string;
  readonly #logger: Logger;
  /** Names, sizes and times of the files that `#network` was read from. */
  #signature = '';
  #network: NetworkConfiguration | undefined;
  #problem: string | undefined;

  constructor({ directory, logger }: ConfigurationDirectoryOptions) {
    this.#directory = directory;
    this.#logger = logger;
  }

  /** The network of pods, or why there is none. */
  async load(): Promise<{ readonly network: NetworkConfiguration } | { readonly problem: string }> {
    const files = await filesIn(this.#directory, ['.conf', '.conflist', '.json']);
    const signature = await this.#signatureOf(files);
    if (signature !== this.#signature) {
      await this.#read(files);
      this.#signature = signature;
    }
    if (this.#network) return { network: this.#network };
    return { problem: this.#problem ?? `no network config found in ${this.#directory}: cni plugin not initialized` };
  }

  async #read(files: readonly string[]): Promise<void> {
    this.#network = undefined;
    this.#problem = undefined;
    for (const file of files) {
      try {
        this.#network = await this.#readFile(join(this.#directory, file));
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#problem ??= `failed to load CNI config file ${join(this.#directory, file)}: ${reason}`;
        this.#logger.error('Failed to load CNI configuration, skipping it', error, { file });
      }
    }
  }

  async #readFile(path: string): Promise<NetworkConfiguration> {
    const text = await readFile(path, 'utf8');
    if (extname(path) !== '.conflist') return parseSingleConfiguration(text);
    const list = parseConfigurationList(text);
    const plugins = [...list.plugins];
    if (!list.loadOnlyInlinedPlugins && isFileName(list.name)) {
      const folder = join(this.#directory, list.name);
      for (const file of await filesIn(folder, ['.conf'])) {
        plugins.push(parsePlugin(await readFile(join(folder, file), 'utf8')));
      }
    }
    if (plugins.length === 0) throw new Error('no plugin configs found');
    return { ...list, plugins };
  }

  async #signatureOf(files: readonly string[]): Promise<string> {
    // Folders of networks count too: their plug-ins belong to a list.
    const entries = await readdir(this.#directory).catch(() => []);
    const folders = entries.filter((name) => extname(name) === '' && !files.includes(name));
    const parts = await Promise.all(
      [...files, ...folders].map(async (name) => {
        const path = join(this.#directory, name);
        const facts = await stat(path).catch(() => undefined);
        const inside = facts?.isDirectory() ? await filesIn(path, ['.conf']) : [];
        const deeper = await Promise.all(inside.map((file) => stat(join(path, file)).catch(() => undefined)));
        return [facts, ...deeper].map((one) => `${name} ${one?.ino} ${one?.size} ${one?.mtimeMs} ${one?.ctimeMs}`);
      }),
    );
    return parts.flat().join('\n');
  }
}

const isFileName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !name.includes('/');

/** The files with these extensions, by name. */
async function filesIn(directory: string, extensions: readonly string[]): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && extensions.includes(extname(entry.name)));
    return files.map(({ name }) => name).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}
