import { aggregateErrors } from './aggregate-errors.ts';
import { intersectAudiences } from './audiences.ts';
import type { Authenticated, TokenAuthenticator } from './authenticator.ts';

/**
 * Tries several token authenticators in order; the first success wins. An authenticator that names no audiences (token
 * files, bootstrap tokens) authenticates only for the API server's own audiences. Throws an Error when none succeeds
 * and at least one threw.
 */
export class TokenUnion implements TokenAuthenticator {
  readonly #authenticators: readonly TokenAuthenticator[];
  readonly #apiAudiences: readonly string[];

  constructor(authenticators: readonly TokenAuthenticator[], apiAudiences: readonly string[]) {
    this.#authenticators = authenticators;
    this.#apiAudiences = apiAudiences;
  }

  async authenticateToken(token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    const errors: unknown[] = [];
    for (const authenticator of this.#authenticators) {
      try {
        const found = await authenticator.authenticateToken(token, audiences);
        const granted = found && this.#withAudiences(found, audiences);
        if (granted) return granted;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw aggregateErrors(errors);
    return undefined;
  }

  #withAudiences(found: Authenticated, wanted: readonly string[]): Authenticated | undefined {
    const isOpen = this.#apiAudiences.length === 0 && wanted.length === 0;
    if (found.audiences || isOpen) return found;
    const audiences = intersectAudiences(this.#apiAudiences, wanted.length > 0 ? wanted : this.#apiAudiences);
    return audiences.length > 0 ? { ...found, audiences } : undefined;
  }
}
