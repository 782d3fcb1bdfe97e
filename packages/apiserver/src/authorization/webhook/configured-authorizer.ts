import type { UserInfo } from '@coxswain/api';
import { durationToMs, jsonEquals } from '@coxswain/apimachinery';
import type { Clock, Timer } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import type {
  AuthorizationAttributes,
  Authorizer,
  Decision,
  SubjectRules,
} from '@coxswain/component-base/authorization';
import { privilegedGroupAuthorizer, UnionAuthorizer } from '@coxswain/component-base/authorization';
import { type FollowedFiles, followFiles } from '@coxswain/component-base/files';
import type { ReloadMetrics } from '../../configuration/reload-metrics.ts';
import { type AuthorizationConfiguration, parseAuthorizationConfiguration } from './authorization-configuration.ts';
import type { AuthorizationMetrics } from './authorization-metrics.ts';
import {
  type BuiltInType,
  checkAuthorizationConfiguration,
  closeAuthorizers,
  type PreparedAuthorization,
  type PreparedAuthorizer,
  type PreparedWebhook,
  prepareAuthorizers,
} from './prepare-authorization.ts';
import { WebhookAuthorizer } from './webhook-authorizer.ts';

export interface ConfiguredAuthorizerOptions {
  /** Returns undefined for an authorizer that was not configured when the server started. */
  readonly builtIn: (type: BuiltInType) => Authorizer | undefined;
  readonly now: () => Date;
  readonly clock: Clock;
  readonly random: () => number;
  /** Receives failed webhook calls, and failures of reloading the file. */
  readonly logger: Logger;
  readonly metrics?: AuthorizationMetrics;
  readonly reloadMetrics?: ReloadMetrics;
}

/** How long replaced webhooks stay open for requests in progress. */
const retireMs = 60_000;

/**
 * The configured authorizers in their order, after the one that allows `system:masters` everything. It reloads the
 * configuration file, if any, when it changes; an invalid file leaves the current configuration in place. Must be
 * closed.
 */
export class ConfiguredAuthorizer implements Authorizer {
  readonly #authorization: PreparedAuthorization;
  readonly #options: ConfiguredAuthorizerOptions;
  readonly #followed: FollowedFiles | undefined;
  readonly #retired = new Map<readonly PreparedAuthorizer[], Timer>();
  #authorizers: readonly PreparedAuthorizer[];
  #union: UnionAuthorizer;
  #lastConfiguration: AuthorizationConfiguration | undefined;

  constructor(authorization: PreparedAuthorization, options: ConfiguredAuthorizerOptions) {
    this.#authorization = authorization;
    this.#options = options;
    this.#authorizers = authorization.authorizers;
    this.#union = this.#unionOf(this.#authorizers);
    const { file } = authorization;
    if (!file) return;
    options.reloadMetrics?.applied(file.text);
    this.#lastConfiguration = parseAuthorizationConfiguration(file.text);
    this.#followed = followFiles({
      clock: options.clock,
      files: [file.path],
      initial: [file.text],
      onChange: ([text = '']) => this.#reload(text),
      onError: (error) => {
        options.reloadMetrics?.failed();
        options.logger.error('Failed to reload authorization configuration', error);
      },
    });
  }

  authorize(attributes: AuthorizationAttributes): Promise<Decision> {
    return this.#union.authorize(attributes);
  }

  rulesFor(user: UserInfo, namespace: string): Promise<SubjectRules> {
    return this.#union.rulesFor(user, namespace);
  }

  close(): void {
    this.#followed?.close();
    for (const [authorizers, timer] of this.#retired) {
      timer.cancel();
      closeAuthorizers(authorizers);
    }
    closeAuthorizers(this.#authorizers);
  }

  async #reload(text: string): Promise<void> {
    const configuration = parseAuthorizationConfigurationFile(text);
    const builtIn = this.#authorization.authorizers.flatMap(({ type }) => (type === 'Webhook' ? [] : [type]));
    await checkAuthorizationConfiguration(configuration, builtIn);
    if (this.#lastConfiguration && jsonEquals(configuration, this.#lastConfiguration)) return;
    const authorizers = await prepareAuthorizers(configuration, this.#authorization.options);
    try {
      this.#union = this.#unionOf(authorizers);
    } catch (error) {
      closeAuthorizers(authorizers);
      throw error;
    }
    this.#lastConfiguration = configuration;
    this.#retire(this.#authorizers);
    this.#authorizers = authorizers;
    this.#options.reloadMetrics?.reloaded(text);
  }

  #retire(authorizers: readonly PreparedAuthorizer[]): void {
    const retire = (): void => {
      this.#retired.delete(authorizers);
      closeAuthorizers(authorizers);
    };
    const timer = this.#options.clock.setTimeout(retire, retireMs, { background: true });
    this.#retired.set(authorizers, timer);
  }

  #unionOf(authorizers: readonly PreparedAuthorizer[]): UnionAuthorizer {
    const { metrics } = this.#options;
    const links = authorizers.map((prepared) => ({ prepared, authorizer: this.#authorizerOf(prepared) }));
    const counters = new Map(
      links.map(({ prepared: { type, name }, authorizer }) => [authorizer, metrics?.decisions(type, name)]),
    );
    return new UnionAuthorizer(
      [privilegedGroupAuthorizer, ...links.map(({ authorizer }) => authorizer)],
      (authorizer, { decision }) => counters.get(authorizer)?.[decision === 'allow' ? 'allowed' : 'denied'].inc(),
    );
  }

  #authorizerOf(prepared: PreparedAuthorizer): Authorizer {
    if (prepared.type === 'Webhook') return this.#webhookAuthorizer(prepared);
    const found = this.#options.builtIn(prepared.type);
    if (!found)
      throw new Error(
        `authorizer type ${prepared.type} is not allowed if it was not enabled at initial server startup`,
      );
    return found;
  }

  #webhookAuthorizer({ name, configuration, webhook, matches }: PreparedWebhook): WebhookAuthorizer {
    const { now, clock, random, logger, metrics } = this.#options;
    const { authorizedTTL, cacheAuthorizedRequests, unauthorizedTTL, cacheUnauthorizedRequests } = configuration;
    return new WebhookAuthorizer({
      name,
      webhook,
      version: configuration.subjectAccessReviewVersion === 'v1' ? 'v1' : 'v1beta1',
      timeoutMs: durationToMs(configuration.timeout),
      authorizedTtlMs: cacheAuthorizedRequests ? durationToMs(authorizedTTL) : 0,
      unauthorizedTtlMs: cacheUnauthorizedRequests ? durationToMs(unauthorizedTTL) : 0,
      failureDecision: configuration.failurePolicy === 'Deny' ? 'deny' : 'no opinion',
      ...(matches && { matches: timed(matches, name, clock, metrics) }),
      now,
      clock,
      random,
      logger,
      ...(metrics && { metrics }),
    });
  }
}

type Matches = NonNullable<PreparedWebhook['matches']>;

function timed(matches: Matches, name: string, clock: Clock, metrics: AuthorizationMetrics | undefined): Matches {
  return async (spec) => {
    const start = clock.monotonic();
    const seconds = (): number => (clock.monotonic() - start) / 1000;
    try {
      const matched = await matches(spec);
      metrics?.conditionsEvaluated(name, matched ? 'match' : 'exclusion', seconds());
      return matched;
    } catch (error) {
      metrics?.conditionsEvaluated(name, 'error', seconds());
      throw error;
    }
  };
}

/** Parses the file. Adds its kind to the message of errors. */
export function parseAuthorizationConfigurationFile(text: string): AuthorizationConfiguration {
  try {
    return parseAuthorizationConfiguration(text);
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`failed to load AuthorizationConfiguration from file: ${why}`, { cause });
  }
}
