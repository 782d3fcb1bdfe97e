import type { UserInfo } from '@coxswain/api';
import { quote } from '@coxswain/apimachinery';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { JwtConfiguration } from './authentication-configuration.ts';
import { booleanClaim, type Claims, hasClaim, stringClaim, stringsClaim } from './claims.ts';
import { DistributedClaims } from './distributed-claims.ts';
import { verifyIdToken } from './id-token-verifier.ts';
import type { JwtMetrics } from './jwt-metrics.ts';
import { OidcProvider, type OidcProviderOptions } from './oidc-provider.ts';
import type { JwtExpressions } from './validate-authentication-configuration.ts';

export interface JwtAuthenticatorOptions extends Pick<OidcProviderOptions, 'now' | 'logger'> {
  readonly algorithms: readonly string[];
  /** Default: the system clock. */
  readonly clock?: Clock;
  readonly metrics?: JwtMetrics;
}

/** Authenticates the tokens of one issuer. Must be closed. */
export class JwtAuthenticator {
  readonly #configuration: JwtConfiguration;
  readonly #expressions: JwtExpressions;
  readonly #options: JwtAuthenticatorOptions;
  readonly #provider: OidcProvider;
  readonly #distributed: DistributedClaims | undefined;

  constructor(configuration: JwtConfiguration, expressions: JwtExpressions, options: JwtAuthenticatorOptions) {
    this.#configuration = configuration;
    this.#expressions = expressions;
    this.#options = options;
    const { url, discoveryURL, certificateAuthority, audiences } = configuration.issuer;
    const { now, clock = systemClock, logger, algorithms, metrics } = options;
    const trust = { now, clock, logger, ...(certificateAuthority !== '' && { ca: certificateAuthority }) };
    this.#provider = new OidcProvider({
      issuer: url,
      ...trust,
      ...(discoveryURL !== '' && { discoveryURL }),
      ...(metrics && { onFetch: (keySet) => metrics.keysFetched(url, keySet) }),
    });
    const { claim } = configuration.claimMappings.groups;
    this.#distributed =
      claim === ''
        ? undefined
        : new DistributedClaims({ claim, audiences, algorithms, get: this.#provider.get, ...trust });
  }

  get issuer(): string {
    return this.#configuration.issuer.url;
  }

  /** Why it cannot authenticate yet; undefined when it can. */
  get problem(): string | undefined {
    const { problem } = this.#provider;
    return problem && `oidc: authenticator for issuer ${quote(this.issuer)} is not healthy: ${problem}`;
  }

  /** Resolves when it can authenticate, or the signal is aborted. */
  ready(signal: AbortSignal): Promise<void> {
    return this.#provider.ready(signal);
  }

  /** Returns the user of a token with this issuer. Throws an Error with upstream's message when it is invalid. */
  async userOf(token: string): Promise<UserInfo> {
    const { clock = systemClock, metrics } = this.#options;
    const start = clock.monotonic();
    try {
      const user = await this.#verifiedUser(token);
      metrics?.authenticated(this.issuer, 'success', (clock.monotonic() - start) / 1000);
      return user;
    } catch (error) {
      metrics?.authenticated(this.issuer, 'failure', (clock.monotonic() - start) / 1000);
      throw error;
    }
  }

  close(): void {
    this.#provider.close();
    this.#distributed?.close();
  }

  async #verifiedUser(token: string): Promise<UserInfo> {
    const claims = await this.#claims(token);
    const username = await this.#username(claims);
    const groups = await this.#groups(claims);
    const uid = await this.#uid(claims);
    const user = { username, ...(groups.length > 0 && { groups }), ...uid, ...(await this.#extra(claims)) };
    this.#checkRequired(claims);
    const { claimRules, userRules } = this.#expressions;
    for (const { expression, message } of claimRules)
      await obey('oidc: error evaluating claim validation expression', expression.text, message, () =>
        expression.evaluate(claims),
      );
    for (const { expression, message } of userRules)
      await obey('oidc: error evaluating user info validation rule', expression.text, message, () =>
        expression.evaluate(user),
      );
    return user;
  }

  async #claims(token: string): Promise<Claims> {
    const { keys } = this.#provider;
    if (!keys) throw new Error('oidc: authenticator not initialized');
    const { audiences } = this.#configuration.issuer;
    const claims = await explained('oidc: verify token', () =>
      verifyIdToken(token, keys, { ...this.#options, issuer: this.issuer, audiences }),
    );
    return explained(
      'oidc: could not expand distributed claims',
      async () => this.#distributed?.expand(claims) ?? claims,
    );
  }

  async #username(claims: Claims): Promise<string> {
    const { username: expression } = this.#expressions;
    if (expression) {
      const what = 'oidc: error evaluating username claim expression';
      const value = await explained(what, () => expression.evaluate(claims));
      if (typeof value !== 'string') throw new Error(`${what}: username claim expression must return a string`);
      if (value === '') throw new Error('oidc: empty username via CEL expression is not allowed');
      return value;
    }
    const { claim, prefix = '' } = this.#configuration.claimMappings.username;
    const name = await explained(`oidc: parse username claims ${quote(claim)}`, async () => stringClaim(claims, claim));
    if (claim === 'email' && hasClaim(claims, 'email_verified')) {
      const verified = await explained("oidc: parse 'email_verified' claim", async () =>
        booleanClaim(claims, 'email_verified'),
      );
      if (!verified) throw new Error('oidc: email not verified');
    }
    return prefix + name;
  }

  async #groups(claims: Claims): Promise<string[]> {
    const { claim, prefix = '' } = this.#configuration.claimMappings.groups;
    if (claim !== '' && hasClaim(claims, claim)) {
      const groups = await explained(`oidc: parse groups claim ${quote(claim)}`, async () =>
        stringsClaim(claims, claim),
      );
      return groups.map((group) => prefix + group);
    }
    const { groups: expression } = this.#expressions;
    if (!expression) return [];
    return explained('oidc: error evaluating group claim expression', async () =>
      stringList(await expression.evaluate(claims)),
    );
  }

  async #uid(claims: Claims): Promise<Pick<UserInfo, 'uid'>> {
    const { claim } = this.#configuration.claimMappings.uid;
    if (claim !== '') {
      const uid = await explained(`oidc: parse uid claim ${quote(claim)}`, async () => stringClaim(claims, claim));
      return uid === '' ? {} : { uid };
    }
    const { uid: expression } = this.#expressions;
    if (!expression) return {};
    const what = 'oidc: error evaluating uid claim expression';
    const uid = await explained(what, () => expression.evaluate(claims));
    if (typeof uid !== 'string') throw new Error(`${what}: uid claim expression must return a string`);
    return uid === '' ? {} : { uid };
  }

  async #extra(claims: Claims): Promise<Pick<UserInfo, 'extra'>> {
    const extra: [string, string[]][] = [];
    const id = hasClaim(claims, 'jti') ? claims.jti : undefined;
    if (typeof id === 'string' && id !== '') extra.push(['authentication.kubernetes.io/credential-id', [`JTI=${id}`]]);
    // All expressions are evaluated before any result is checked, as the order decides which error is reported.
    const results: [key: string, text: string, value: unknown][] = [];
    for (const { key, expression } of this.#expressions.extra)
      results.push([key, expression.text, await expression.evaluate(claims)]);
    for (const [key, text, value] of results) {
      const values = await explained(`oidc: error evaluating extra claim expression: ${text}`, async () =>
        stringList(value),
      );
      if (values.length > 0) extra.push([key, values]);
    }
    return extra.length > 0 ? { extra: Object.fromEntries(extra) } : {};
  }

  #checkRequired(claims: Claims): void {
    for (const { claim, requiredValue } of this.#configuration.claimValidationRules) {
      if (claim === '') continue;
      if (!hasClaim(claims, claim)) throw new Error(`oidc: required claim ${claim} not present in ID token`);
      let value: string;
      try {
        value = stringClaim(claims, claim);
      } catch (cause) {
        throw new Error(`oidc: parse claim ${claim}: ${messageOf(cause)}`, { cause });
      }
      if (value !== requiredValue)
        throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`);
    }
  }
}

/** Adds the failed step to the error message. */
async function explained<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw new Error(`${what}: ${messageOf(cause)}`, { cause });
  }
}

async function obey(what: string, text: string, message: string, evaluate: () => Promise<unknown>): Promise<void> {
  const result = await explained(what, evaluate);
  if (result !== true) throw new Error(`${what}: validation expression '${text}' failed: ${message}`);
}

/**
 * Returns the non-empty strings of a list. A single string is a list, null is an empty list.
 *
 * Differs from upstream, which rejects lists that are results of functions, such as `split`.
 */
function stringList(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : value === null ? [] : [value];
  return list.flatMap((item) => {
    if (typeof item !== 'string') throw new Error('expression must return a string or a list of strings');
    return item === '' ? [] : [item];
  });
}
