import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddressRange } from '../addresses/index.ts';
import { isStrings } from '../records/index.ts';

/** After the networks that people install, which then take precedence: their files begin with lower numbers. */
const fileName = '99-coxswain.conflist';

const neededPlugins = ['bridge', 'host-local', 'portmap'] as const;

export interface DefaultNetworkOptions {
  readonly configurationDirectory: string;
  readonly pluginPath: readonly string[];
  readonly stateDirectory: string;
  /** The name of the network. */
  readonly name: string;
  readonly bridge: string;
}

export interface DefaultNetworkRanges {
  readonly ranges: readonly AddressRange[];
  /** Whether the plug-in masquerades what leaves the node. False if something else does, which knows the ranges of the cluster. */
  readonly ipMasq: boolean;
}

/** The network of a node on which nobody has installed one: a bridge with the plug-ins that distributions package. */
export class DefaultNetwork {
  readonly #options: DefaultNetworkOptions;
  readonly #file: string;
  /** A copy of what was written. */
  readonly #record: string;

  constructor(options: DefaultNetworkOptions) {
    this.#options = options;
    this.#file = join(options.configurationDirectory, fileName);
    this.#record = join(options.stateDirectory, 'default-network.json');
  }

  /** The plug-ins that it needs and that are not there. */
  async missingPlugins(): Promise<readonly string[]> {
    const found = await Promise.all(neededPlugins.map((type) => this.#has(type)));
    return neededPlugins.filter((_, i) => !found[i]);
  }

  /** Writes the file, if there is none or if it is as this class has written it. */
  async write(contents: DefaultNetworkRanges): Promise<void> {
    const text = await this.#text(contents);
    const current = await readFile(this.#file, 'utf8').catch(() => undefined);
    if (current === text) return;
    if (current !== undefined && !(await this.#written()).includes(current)) return;
    const { configurationDirectory, stateDirectory } = this.#options;
    await mkdir(configurationDirectory, { recursive: true });
    await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
    // Before the file: so it is known as this one's in every case.
    const texts = [text, ...(current === undefined ? [] : [current])];
    await replace(`${this.#record}.new`, this.#record, JSON.stringify(texts));
    await replace(join(configurationDirectory, `.${fileName}.new`), this.#file, text);
  }

  /** Whether a network is the one of this file. */
  isNamed(name: string): boolean {
    return name === this.#options.name;
  }

  /** Removes the file, unless a person has changed it. */
  async remove(): Promise<void> {
    const current = await readFile(this.#file, 'utf8').catch(() => undefined);
    if (current !== undefined && (await this.#written()).includes(current)) await rm(this.#file, { force: true });
    await rm(this.#record, { force: true });
  }

  async #written(): Promise<readonly string[]> {
    try {
      const texts: unknown = JSON.parse(await readFile(this.#record, 'utf8'));
      return isStrings(texts) ? texts : [];
    } catch {
      return [];
    }
  }

  async #text({ ranges, ipMasq }: DefaultNetworkRanges): Promise<string> {
    const { name, bridge, stateDirectory } = this.#options;
    const defaults = { ipv4: '0.0.0.0/0', ipv6: '::/0' };
    const list = {
      cniVersion: '1.0.0',
      name,
      plugins: [
        {
          type: 'bridge',
          bridge,
          isGateway: true,
          ipMasq,
          hairpinMode: true,
          ipam: {
            type: 'host-local',
            dataDir: join(stateDirectory, 'host-local'),
            ranges: ranges.map((range) => [{ subnet: String(range) }]),
            routes: ranges.map(({ family }) => ({ dst: defaults[family] })),
          },
        },
        { type: 'portmap', capabilities: { portMappings: true }, snat: true },
        ...((await this.#has('bandwidth')) ? [{ type: 'bandwidth', capabilities: { bandwidth: true } }] : []),
      ],
    };
    return `${JSON.stringify(list, undefined, 2)}\n`;
  }

  async #has(type: string): Promise<boolean> {
    const found = await Promise.all(
      this.#options.pluginPath.map((directory) =>
        stat(join(directory, type))
          .then((facts) => facts.isFile())
          .catch(() => false),
      ),
    );
    return found.includes(true);
  }
}

async function replace(temporary: string, path: string, text: string): Promise<void> {
  await writeFile(temporary, text, { mode: 0o644 });
  await rename(temporary, path);
}
