import type { Credential, Credentials } from '../../config/rest-config.ts';
import { secretCredential } from './secret-credential.ts';

/** Credentials that never change. */
export class StaticCredentials implements Credentials {
  readonly #credential: Credential;

  constructor(credential: Credential) {
    this.#credential = secretCredential(credential);
  }

  async current(): Promise<Credential> {
    return this.#credential;
  }

  refused(): boolean {
    return false;
  }
}
