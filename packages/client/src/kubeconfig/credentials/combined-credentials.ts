import type { Credential, Credentials } from '../../config/rest-config.ts';
import { secretCredential } from './secret-credential.ts';

/** Merges several credentials, such as a client certificate and a token. Earlier ones take precedence. */
export class CombinedCredentials implements Credentials {
  readonly #parts: readonly Credentials[];
  /** The parts of `#combined`, which remains the same object while these do not change. */
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
