import { aggregate, jsonEquals } from '@coxswain/apimachinery';
import { type Clock, systemClock, type Timer } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import { childSignal } from '@coxswain/client';
import type { Authenticated, TokenAuthenticator } from '@coxswain/component-base/authentication';
import { intersectAudiences } from '@coxswain/component-base/authentication';
import { type FollowedFiles, followFiles, TryAgain } from '@coxswain/component-base/files';
import type { ReloadMetrics } from '../../configuration/reload-metrics.ts';
import { type AuthenticationConfiguration, parseAuthenticationConfiguration } from './authentication-configuration.ts';
import { loadExpressionCompiler } from './expression-compiler.ts';
import { untrustedIssuer } from './id-token-verifier.ts';
import { type JwtAuthentication, type PreparedIssuer, prepareIssuers } from './jwt-authentication.ts';
import { JwtAuthenticator } from './jwt-authenticator.ts';
import type { JwtMetrics } from './jwt-metrics.ts';
import { anonymousChanged, validateAuthenticationConfiguration } from './validate-authentication-configuration.ts';

export interface JwtAuthenticatorsOptions {
  readonly apiAudiences: readonly string[];
  readonly now: () => Date;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Receives failures of providers, and of reloading the file. */
  readonly logger: Logger;
  readonly metrics?: JwtMetrics;
  readonly reloadMetrics?: ReloadMetrics;
}

/** How long new issuers may take to become ready. The old configuration stays until then. */
const readyTimeoutMs = 60_000;
/** How long replaced authenticators stay open for requests in progress. */
const retireMs = 60_000;

/**
 * Authenticates the tokens of all configured issuers, and reloads the configuration file when it changes. A new
 * configuration is used when it is valid and all its issuers are ready; until then the old one stays. Must be closed.
 */
export class JwtAuthenticators implements TokenAuthenticator {
  readonly #authentication: JwtAuthentication;
  readonly #options: JwtAuthenticatorsOptions;
  readonly #closed = new AbortController();
  readonly #retired = new Map<JwtAuthenticator, Timer>();
  readonly #followed: FollowedFiles | undefined;
  #current: readonly JwtAuthenticator[];

  constructor(authentication: JwtAuthentication, options: JwtAuthenticatorsOptions) {
    this.#authentication = authentication;
    this.#options = options;
    this.#current = this.#start(authentication.issuers);
    const { file } = authentication;
    if (!file) return;
    options.reloadMetrics?.applied(file.text);
    this.#followed = followFiles({
      ...(options.clock && { clock: options.clock }),
      files: [file.path],
      initial: [file.text],
      onChange: ([text = '']) => this.#reload(text),
      onError: (error) => {
        options.reloadMetrics?.failed();
        options.logger.error('Failed to reload authentication configuration', error);
      },
    });
  }

  /** Returns undefined for tokens of other issuers. Throws an Error for invalid tokens of a configured issuer. */
  async authenticateToken(token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    const { apiAudiences } = this.#options;
    const isForOthers = audiences.length > 0 && intersectAudiences(apiAudiences, audiences).length === 0;
    if (isForOthers && apiAudiences.length > 0) return undefined;
    const issuer = untrustedIssuer(token);
    const user = await this.#current.find((authenticator) => authenticator.issuer === issuer)?.userOf(token);
    return user && { user };
  }

  close(): void {
    this.#closed.abort();
    this.#followed?.close();
    for (const [authenticator, timer] of this.#retired) {
      timer.cancel();
      authenticator.close();
    }
    for (const authenticator of this.#current) authenticator.close();
  }

  #start(issuers: readonly PreparedIssuer[]): JwtAuthenticator[] {
    const { algorithms } = this.#authentication;
    return issuers.map(
      ({ configuration, expressions }) =>
        new JwtAuthenticator(configuration, expressions, { ...this.#options, algorithms }),
    );
  }

  async #reload(text: string): Promise<void> {
    const configuration = parse(text);
    await this.#validate(configuration);
    const started = this.#start(await prepareIssuers(configuration, this.#authentication.disallowedIssuers));
    const { clock = systemClock } = this.#options;
    const { signal, dispose } = childSignal({ parent: this.#closed.signal, timeoutMs: readyTimeoutMs, clock });
    await Promise.all(started.map((authenticator) => authenticator.ready(signal)));
    dispose();
    const problems = started.flatMap(({ problem }) => problem ?? []);
    if (problems.length > 0 || this.#closed.signal.aborted) {
      for (const authenticator of started) authenticator.close();
      throw new TryAgain(`failed to update authentication config: ${problems.join(', ')}`);
    }
    const old = this.#current;
    this.#current = started;
    for (const authenticator of old) this.#retire(authenticator);
    this.#options.reloadMetrics?.reloaded(text);
  }

  async #validate(configuration: AuthenticationConfiguration): Promise<void> {
    const { disallowedIssuers, file } = this.#authentication;
    const compiler = await loadExpressionCompiler(configuration);
    const errors = validateAuthenticationConfiguration(configuration, compiler, disallowedIssuers);
    if (!jsonEquals(configuration.anonymous ?? null, file?.anonymous ?? null)) errors.push(anonymousChanged());
    if (errors.length > 0) throw new Error(`failed to validate authentication config: ${aggregate(errors)}`);
  }

  #retire(authenticator: JwtAuthenticator): void {
    const { clock = systemClock } = this.#options;
    const retire = (): void => {
      this.#retired.delete(authenticator);
      authenticator.close();
      const { issuer } = authenticator;
      if (!this.#current.some((other) => other.issuer === issuer)) this.#options.metrics?.forget(issuer);
    };
    const timer = clock.setTimeout(retire, retireMs, { background: true });
    this.#retired.set(authenticator, timer);
  }
}

function parse(text: string): AuthenticationConfiguration {
  try {
    return parseAuthenticationConfiguration(text);
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`failed to load authentication config: ${why}`, { cause });
  }
}
