import type { TokenRequest } from '@coxswain/api/authentication/v1';
import { isAlreadyExists, isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import { type ClientSet, type Clock, type Credential, type Credentials, type Logger, sleep } from '@coxswain/client';

/** The requested lifetime of a token. The API server may choose another one. */
const lifetimeSeconds = 3600;
/** A shorter remaining lifetime is attributed to clock skew. */
const shortestLifetimeMs = 10 * 60_000;
/** A token is replaced after this fraction of its lifetime. */
const usedPart = 0.8;
/** Delays between attempts to get a token. */
const retryDelaysMs = [500, 1000, 2000];

export interface ServiceAccountCredentialsOptions {
  /** A client that may create service accounts and their tokens. */
  readonly clients: ClientSet;
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Credentials of a service account, which is created if it is missing. The tokens are requested from the API server
 * (TokenRequest) and replaced in time. If a new token cannot be obtained, the old one is used.
 */
export class ServiceAccountCredentials implements Credentials {
  readonly #options: ServiceAccountCredentialsOptions;
  #credential: Credential | undefined;
  #replaceAt = 0;
  /** The request in progress. Concurrent callers share it. */
  #asking: Promise<Credential> | undefined;

  constructor(options: ServiceAccountCredentialsOptions) {
    this.#options = options;
  }

  async current(): Promise<Credential> {
    if (this.#credential && this.#options.clock.now() < this.#replaceAt) return this.#credential;
    this.#asking ??= this.#renewed().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Returns true to retry with a new token, because the account may have been recreated. */
  refused(credential: Credential): boolean {
    if (credential === this.#credential) {
      this.#credential = undefined;
      this.#replaceAt = 0;
    }
    return true;
  }

  /** Creates the account and its namespace if they are missing. Rejects with the server's error. */
  async createAccount(): Promise<void> {
    const { clients, namespace, name } = this.#options;
    const create = (): Promise<unknown> =>
      unlessThere(clients.core.v1.serviceAccounts(namespace).create({ metadata: { name } }));
    try {
      await create();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await unlessThere(clients.core.v1.namespaces().create({ metadata: { name: namespace } }));
      await create();
    }
  }

  async #renewed(): Promise<Credential> {
    const { namespace, name, logger } = this.#options;
    try {
      return await this.#ask();
    } catch (cause) {
      if (this.#credential) {
        logger.error('Failed to replace token', cause, { serviceAccount: { namespace, name } });
        return this.#credential;
      }
      const why = messageOf(cause);
      throw new Error(`failed to get token for ${namespace}/${name}: ${why}`, { cause });
    }
  }

  async #ask(): Promise<Credential> {
    const { clock } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        const { status } = await this.#requestToken();
        const lifetimeMs = Date.parse(status?.expirationTimestamp ?? '') - clock.now();
        this.#replaceAt = clock.now() + usedPart * Math.max(lifetimeMs || 0, shortestLifetimeMs);
        this.#credential = hidden(status?.token ?? '');
        return this.#credential;
      } catch (error) {
        const delayMs = retryDelaysMs[attempt];
        if (delayMs === undefined) throw error;
        await sleep(clock, delayMs);
      }
    }
  }

  async #requestToken(): Promise<TokenRequest> {
    const { clients, namespace, name } = this.#options;
    const accounts = clients.core.v1.serviceAccounts(namespace);
    const request = { metadata: {}, spec: { audiences: [], expirationSeconds: lifetimeSeconds } };
    try {
      return await accounts.createToken(name, request);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.createAccount();
      return accounts.createToken(name, request);
    }
  }
}

/** Ignores AlreadyExists errors. */
async function unlessThere(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** Returns a credential whose token is not enumerable, so that it is not logged by accident. */
const hidden = (token: string): Credential => Object.defineProperty({}, 'token', { value: token, enumerable: false });
