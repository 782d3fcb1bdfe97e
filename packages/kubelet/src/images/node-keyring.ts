import { join, resolve } from 'node:path';
import type { Clock, Logger } from '@coxswain/client';
import { isNoEntry } from '../files/no-entry.ts';
import { readBoundedFile } from '../files/read-bounded-file.ts';
import { type DockerConfig, parseDockerConfigJson, parseDockercfg } from './docker-config.ts';
import { Keyring } from './keyring.ts';

export interface NodeKeyringOptions {
  /** The kubelet's directory, which is searched first. */
  readonly rootDirectory: string;
  /** The home directory of the kubelet's user. */
  readonly homeDirectory: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const validForMs = 300_000;
const mostBytes = 2 ** 20;

/**
 * The logins of the node, which all its pods may use. They are read from the first `config.json` or `.dockercfg` that exists, and again
 * after five minutes.
 *
 * Differs from upstream: a file of more than 1 MiB is skipped. As upstream, it does not call the credential helpers that a `config.json` names.
 */
export class NodeKeyring {
  readonly #options: NodeKeyringOptions;
  #known: { readonly keyring: Promise<Keyring>; readonly untilMs: number } | undefined;

  constructor(options: NodeKeyringOptions) {
    this.#options = options;
  }

  /** Never rejects. A file that can't be used is logged and skipped. */
  keyring(): Promise<Keyring> {
    const nowMs = this.#options.clock.now();
    if (!this.#known || this.#known.untilMs <= nowMs) {
      this.#known = { keyring: this.#read(), untilMs: nowMs + validForMs };
    }
    return this.#known.keyring;
  }

  async #read(): Promise<Keyring> {
    const { rootDirectory, homeDirectory } = this.#options;
    const keyring = new Keyring();
    const places = [
      ...[rootDirectory, '.', join(homeDirectory, '.docker'), '/.docker'].map((place) => join(place, 'config.json')),
      ...[rootDirectory, '.', homeDirectory, '/'].map((place) => join(place, '.dockercfg')),
    ];
    for (const place of places) {
      const config = await this.#configIn(resolve(place));
      if (!config) continue;
      keyring.add(config);
      break;
    }
    return keyring;
  }

  async #configIn(path: string): Promise<DockerConfig | undefined> {
    const { logger } = this.#options;
    try {
      const text = (await readBoundedFile(path, mostBytes)).toString();
      const config = path.endsWith('.json') ? parseDockerConfigJson(text) : parseDockercfg(text);
      logger.v(4).info('Found the logins of the node', { path });
      return config;
    } catch (error) {
      if (!isNoEntry(error))
        logger.v(2).info('Cannot use a file with logins of the node', { path, err: String(error) });
      return undefined;
    }
  }
}
