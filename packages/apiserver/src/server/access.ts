import {
  bootstrapTokenAuthenticator,
  JwtAuthenticators,
  JwtMetrics,
  serviceAccountTokenAuthenticators,
  type TokenAuthenticator,
  tokenWebhookAuthenticator,
  UnionAuthenticator,
} from '../authentication/index.ts';
import { type Authorization, AuthorizationMetrics, type Authorizer, newAuthorization } from '../authorization/index.ts';
import { apiServerId } from '../bootstrap/identity-lease.ts';
import { ReloadMetrics } from '../configuration/reload-metrics.ts';
import { secretLabeller } from '../serviceaccount/index.ts';
import type { ServerCore } from './server-core.ts';

/** Authentication and authorization of the server. */
export class Access {
  readonly authenticator: UnionAuthenticator;
  readonly authorization: Authorization;
  readonly #core: ServerCore;
  #jwtAuthenticators: JwtAuthenticators | undefined;

  constructor(core: ServerCore) {
    this.#core = core;
    const { config, registries, logger } = core;
    const { features, clock, random } = config;
    const { now } = core;
    this.authorization = newAuthorization(config.authorization ?? config.authorizationModes, registries, {
      gates: features,
      now,
      clock,
      random: random.number,
      logger,
      metrics: core.registered(new AuthorizationMetrics()),
      reloadMetrics: this.#reloadMetrics('authorization'),
    });
    this.authenticator = this.#newAuthenticator();
  }

  get authorizer(): Authorizer {
    return this.authorization.authorizer;
  }

  close(): void {
    this.authorization.close();
    this.#jwtAuthenticators?.close();
    this.#core.config.authentication.tokenWebhook?.webhook.close();
  }

  #reloadMetrics(what: 'authentication' | 'authorization'): ReloadMetrics {
    const { now } = this.#core;
    const { hostname } = this.#core.config;
    const prefix = `apiserver_${what}_config_controller`;
    return this.#core.registered(new ReloadMetrics({ prefix, serverId: apiServerId(hostname), now }));
  }

  #newAuthenticator(): UnionAuthenticator {
    const { authentication, serviceAccounts, logger } = this.#core.config;
    const { registries, now } = this.#core;
    const { issuers, keys, apiAudiences, lookup } = serviceAccounts;
    return new UnionAuthenticator({
      apiAudiences,
      ...(authentication.requestHeader && { requestHeader: authentication.requestHeader }),
      ...(authentication.clientCA && { clientCA: authentication.clientCA }),
      anonymous: authentication.anonymous,
      tokens: [
        ...(authentication.tokenFile ? [authentication.tokenFile] : []),
        ...serviceAccountTokenAuthenticators({
          issuers,
          keys,
          apiAudiences,
          lookup,
          now,
          label: secretLabeller(registries, logger),
          objects: {
            serviceAccounts: registries.lister('', 'serviceaccounts'),
            secrets: registries.lister('', 'secrets'),
            pods: registries.lister('', 'pods'),
            nodes: registries.lister('', 'nodes'),
          },
        }),
        ...(authentication.bootstrapTokens
          ? [bootstrapTokenAuthenticator({ secrets: registries.lister('', 'secrets'), now })]
          : []),
        ...this.#remoteTokens(),
      ],
      now,
    });
  }

  /** Returns the authenticators for tokens of external issuers (JWT) and token webhooks. */
  #remoteTokens(): TokenAuthenticator[] {
    const { logger, now } = this.#core;
    const { authentication, serviceAccounts, hostname, clock, random } = this.#core.config;
    const { jwt, tokenWebhook } = authentication;
    const { apiAudiences } = serviceAccounts;
    if (jwt)
      this.#jwtAuthenticators = new JwtAuthenticators(jwt, {
        apiAudiences,
        now,
        clock,
        logger,
        metrics: this.#core.registered(new JwtMetrics(apiServerId(hostname), now)),
        reloadMetrics: this.#reloadMetrics('authentication'),
      });
    return [
      ...(this.#jwtAuthenticators ? [this.#jwtAuthenticators] : []),
      ...(tokenWebhook
        ? [tokenWebhookAuthenticator({ ...tokenWebhook, apiAudiences, now, clock, random: random.number, logger })]
        : []),
    ];
  }
}
