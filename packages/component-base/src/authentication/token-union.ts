import { aggregateErrors } from './aggregate-errors.ts';
import { intersectAudiences } from './audiences.ts';
import type { Authenticated, TokenAuthenticator } from './authenticator.ts';

/**
 * Asks one after the other who the bearer of a token is; the first that knows counts. Those that say nothing of
 * audiences (token files, bootstrap tokens) know tokens for the API server's own alone. Throws an Error when none knows
 * the token and some of them found it to be no good.
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
