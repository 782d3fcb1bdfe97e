import { durationToMs } from '@coxswain/apimachinery/time';
import type { ClientSet, Clock } from '@coxswain/client';
import { type Authenticator, UnionAuthenticator } from '@coxswain/component-base/authentication';
import { type Authorizer, alwaysAllow } from '@coxswain/component-base/authorization';
import { reviewingAuthorizer, reviewingTokens } from '@coxswain/component-base/serving';
import { ClientAuthorities } from './client-authorities.ts';
import type { KubeletServerSettings } from './server-settings.ts';

export interface ServerAccess {
  readonly authenticator: Authenticator;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  /** Undefined if clients have no certificates. */
  readonly authorities: ClientAuthorities | undefined;
}

export interface ServerAccessOptions {
  readonly settings: Pick<KubeletServerSettings, 'authentication' | 'authorization'>;
  /** Reviews tokens and permissions. Undefined for a kubelet without an API server. */
  readonly clients: ClientSet | undefined;
  readonly clock: Clock;
}

/** Who may use the kubelet's API. Rejects with upstream's messages if the settings need an API server and there is none. */
export async function serverAccess({ settings, clients, clock }: ServerAccessOptions): Promise<ServerAccess> {
  const { x509, webhook, anonymous } = settings.authentication;
  const now = (): Date => new Date(clock.now());
  if (webhook.enabled && !clients) throw new Error('no client provided, cannot use webhook authentication');
  const authorities = x509.clientCAFile === '' ? undefined : await ClientAuthorities.load(x509.clientCAFile);
  if (!authorities && !webhook.enabled && !anonymous.enabled) throw new Error('no authentication method configured');
  const authenticator = new UnionAuthenticator({
    apiAudiences: [],
    ...(authorities && { clientCA: authorities }),
    tokens: webhook.enabled && clients ? [reviewingTokens(clients, durationToMs(webhook.cacheTTL), now)] : [],
    remembersTokens: false,
    anonymous: anonymous.enabled,
    now,
  });
  return { authenticator, authorizer: authorizerOf(settings.authorization, clients, now), authorities };
}

function authorizerOf(
  { mode, webhook }: KubeletServerSettings['authorization'],
  clients: ClientSet | undefined,
  now: () => Date,
): Pick<Authorizer, 'authorize'> {
  if (mode === 'AlwaysAllow') return alwaysAllow;
  if (mode === '') throw new Error('no authorization mode specified');
  if (mode !== 'Webhook') throw new Error(`unknown authorization mode ${mode}`);
  if (!clients) throw new Error('no client provided, cannot use webhook authorization');
  return reviewingAuthorizer(clients, {
    authorizedTtlMs: durationToMs(webhook.cacheAuthorizedTTL),
    unauthorizedTtlMs: durationToMs(webhook.cacheUnauthorizedTTL),
    now,
  });
}
