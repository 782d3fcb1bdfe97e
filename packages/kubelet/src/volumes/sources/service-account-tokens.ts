import type { TokenRequestSpec } from '@coxswain/api/authentication/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Random } from '@coxswain/apimachinery/random';
import type { Clock, Logger } from '@coxswain/client';
import type { VolumeApi } from './volume-api.ts';

interface ServiceAccountTokensOptions {
  readonly api: Pick<VolumeApi, 'requestToken'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'number'>;
  readonly logger: Logger;
}

interface TokenOwner {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly podName: string;
  readonly podUid: string;
}

interface TokenWish {
  readonly audience: string | undefined;
  readonly expirationSeconds: number | undefined;
}

interface CachedToken {
  readonly token: string;
  readonly podUid: string;
  /** Undefined if the server did not say: such a token is never replaced. */
  readonly lifetimeMs: number | undefined;
  readonly expiresAtMs: number;
}

const oldestMs = 24 * 60 * 60_000;
const longestJitterMs = 10_000;
/** Of the lifetime of a token, this part is left when another one is requested. */
const restOfLifetime = 0.2;
const mostTokens = 8192;

/** Tokens of service accounts that are valid as long as a pod exists. Each is used until it is old, and then replaced. */
export class ServiceAccountTokens {
  readonly #options: ServiceAccountTokensOptions;
  /** In the order in which they were requested. */
  readonly #tokens = new Map<string, CachedToken>();

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
  }

  /** How many tokens are remembered. */
  get size(): number {
    return this.#tokens.size;
  }

  /** Rejects if no token can be had. One that should be replaced but cannot be is used until it expires. */
  async token(owner: TokenOwner, wish: TokenWish, signal: AbortSignal): Promise<string> {
    const key = JSON.stringify([owner, wish]);
    const known = this.#tokens.get(key);
    if (known && !this.#isOld(known)) return known.token;
    try {
      const fresh = await this.#request(owner, wish, signal);
      this.#tokens.delete(key);
      this.#tokens.set(key, fresh);
      this.#forgetExpired();
      return fresh.token;
    } catch (error) {
      signal.throwIfAborted();
      const { podUid, serviceAccount, namespace } = owner;
      if (!known) throw new Error(`failed to fetch token: ${messageOf(error)}`, { cause: error });
      if (this.#options.clock.now() > known.expiresAtMs) {
        const message = `token ${namespace}/${serviceAccount} expired and refresh failed: ${messageOf(error)}`;
        throw new Error(message, { cause: error });
      }
      this.#options.logger.error("Couldn't update token", error, { podUID: podUid, namespace, serviceAccount });
      return known.token;
    }
  }

  forgetPod(podUid: string): void {
    for (const [key, token] of this.#tokens) if (token.podUid === podUid) this.#tokens.delete(key);
  }

  async #request(owner: TokenOwner, { audience, expirationSeconds }: TokenWish, signal: AbortSignal) {
    const { namespace, serviceAccount, podName, podUid } = owner;
    const wanted: TokenRequestSpec = {
      ...(audience ? { audiences: [audience] } : {}),
      ...(expirationSeconds !== undefined && { expirationSeconds }),
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: podName, uid: podUid },
    };
    const { spec, status } = await this.#options.api.requestToken(namespace, serviceAccount, wanted, signal);
    const { token, expirationTimestamp } = status ?? {};
    if (!token || expirationTimestamp === undefined) throw new Error('the API server returned no token');
    const seconds = spec?.expirationSeconds ?? undefined;
    return {
      token,
      podUid,
      lifetimeMs: seconds === undefined ? undefined : Number(seconds) * 1000,
      expiresAtMs: Date.parse(expirationTimestamp),
    };
  }

  #isOld({ lifetimeMs, expiresAtMs }: CachedToken): boolean {
    if (lifetimeMs === undefined) return false;
    const { clock, random } = this.#options;
    const nowMs = clock.now() + random.number() * longestJitterMs;
    return nowMs > expiresAtMs - lifetimeMs + oldestMs || nowMs > expiresAtMs - lifetimeMs * restOfLifetime;
  }

  #forgetExpired(): void {
    const nowMs = this.#options.clock.now();
    for (const [key, { expiresAtMs }] of this.#tokens) if (expiresAtMs < nowMs) this.#tokens.delete(key);
    for (const key of this.#tokens.keys()) {
      if (this.#tokens.size <= mostTokens) break;
      this.#tokens.delete(key);
    }
  }
}
