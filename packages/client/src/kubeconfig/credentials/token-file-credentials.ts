import type { Clock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Credential, Credentials } from '../../config/rest-config.ts';
import type { Logger } from '../../observe/index.ts';
import { secretCredential } from './secret-credential.ts';
import { WatchedFile } from './watched-file.ts';

/**
 * Service-account tokens are valid for at least ten minutes and replaced after 80% of that. client-go caches one for a
 * minute minus ten seconds for clock skew.
 */
const periodMs = 50_000;

export interface TokenFileOptions {
  /** Fallback when the file cannot be read or is empty. */
  readonly token?: string | undefined;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** A bearer token in a file that is replaced before it expires. */
export class TokenFileCredentials implements Credentials {
  readonly #file: WatchedFile;
  readonly #fallback: string | undefined;
  #credential: Credential | undefined;

  constructor(path: string, { token, ...options }: TokenFileOptions = {}) {
    this.#file = new WatchedFile(path, { periodMs, ...options });
    this.#fallback = token || undefined;
  }

  async current(): Promise<Credential> {
    const token = await this.#token();
    if (this.#credential?.token !== token) this.#credential = secretCredential({ token });
    return this.#credential!;
  }

  refused({ token }: Credential): boolean {
    if (token !== undefined && token === this.#credential?.token) this.#file.expire();
    return true;
  }

  async #token(): Promise<string> {
    const { path } = this.#file;
    try {
      const token = (await this.#file.read()).trim();
      if (token !== '') return token;
    } catch (cause) {
      if (this.#fallback) return this.#fallback;
      throw new Error(`failed to read token file "${path}": ${messageOf(cause)}`, { cause });
    }
    if (this.#fallback) return this.#fallback;
    this.#file.expire();
    throw new Error(`read empty token from file "${path}"`);
  }
}
