import type { Credential, Credentials } from '../../config/rest-config.ts';
import { secretCredential } from './secret-credential.ts';

/** What several say together: a certificate for the connection and a token for the request. Earlier ones count more. */
export class CombinedCredentials implements Credentials {
  readonly #parts: readonly Credentials[];
  /** What `#combined` was made of; it stays the same object as long as they do. */
  #last: readonly Credential[] = [];
  #combined: Credential = secretCredential({});

  constructor(parts: readonly Credentials[]) {
    this.#parts = parts;
  }

  async current(signal?: AbortSignal): Promise<Credential> {
    const credentials = await Promise.all(this.#parts.map((part) => part.current(signal)));
    if (credentials.length !== this.#last.length || credentials.some((one, i) => one !== this.#last[i])) {
      this.#last = credentials;
      this.#combined = secretCredential(Object.assign({}, ...credentials.toReversed()));
    }
    return this.#combined;
  }

  refused(credential: Credential): boolean {
    return this.#parts.map((part) => part.refused(credential)).includes(true);
  }
}
