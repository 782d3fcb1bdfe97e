import { readFile } from 'node:fs/promises';
import { durationToMs } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import {
  type AuthenticationConfiguration,
  type JwtAuthentication,
  parseAuthenticationConfiguration,
  prepareJwtAuthentication,
  signingAlgorithms,
} from '../authentication/index.ts';
import {
  type AuthorizationConfiguration,
  checkAuthorizationConfiguration,
  type PreparedAuthorization,
  parseAuthorizationConfigurationFile,
  prepareAuthorizers,
} from '../authorization/index.ts';
import type { ApiServerConfig } from '../server/api-server-config.ts';
import { userAgent } from '../version/index.ts';
import { webhookFromKubeconfig } from '../webhook/index.ts';
import type { CompletedOptions } from './api-server-flags.ts';

export const defaultAuthorizationModes: readonly string[] = ['Node', 'RBAC'];
export const defaultReviewVersion = 'v1beta1';

type Authentication = ApiServerConfig['authentication'];

/** Returns the configuration of anonymous, JWT and token webhook authentication. Throws an Error with upstream's message. */
export async function accessOf(
  options: CompletedOptions,
  { now, logger }: { readonly now: () => Date; readonly logger: Logger },
): Promise<Pick<Authentication, 'anonymous' | 'jwt' | 'tokenWebhook'>> {
  const mayBeAnonymous = !options.authorizationMode?.includes('AlwaysAllow');
  if (!mayBeAnonymous && options.anonymousAuth !== false)
    logger.info('Anonymous requests are refused: with --authorization-mode=AlwaysAllow anybody could do anything');
  const jwt = await jwtAuthenticationOf(options, mayBeAnonymous && (options.anonymousAuth ?? true));
  return { ...jwt, ...(await tokenWebhookOf(options, now)) };
}

async function jwtAuthenticationOf(
  options: CompletedOptions,
  byFlags: boolean,
): Promise<Pick<Authentication, 'anonymous' | 'jwt'>> {
  const { authenticationConfig: path, anonymousAuth, serviceAccountIssuer: disallowedIssuers } = options;
  if (!path) {
    if (!options.oidcIssuerUrl) return { anonymous: byFlags };
    const algorithms = options.oidcSigningAlgs?.length ? options.oidcSigningAlgs : ['RS256'];
    const configuration = await configurationOfFlags(options);
    const jwt = await prepareJwtAuthentication(configuration, { algorithms, disallowedIssuers });
    return { anonymous: byFlags, jwt };
  }
  const { text, configuration } = await readAuthenticationFile(path);
  const { anonymous } = configuration;
  if (anonymous && anonymousAuth !== undefined)
    throw new Error(
      'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    );
  const jwt: JwtAuthentication = await prepareJwtAuthentication(configuration, {
    algorithms: signingAlgorithms,
    disallowedIssuers,
    file: { path, text, ...(anonymous && { anonymous }) },
  });
  return { jwt, anonymous: anonymous ? anonymousOf(anonymous) : byFlags };
}

function anonymousOf({
  enabled,
  conditions,
}: NonNullable<AuthenticationConfiguration['anonymous']>): Authentication['anonymous'] {
  return enabled && conditions.length > 0 ? { paths: conditions.map(({ path }) => path) } : enabled;
}

async function readAuthenticationFile(
  path: string,
): Promise<{ readonly text: string; readonly configuration: AuthenticationConfiguration }> {
  try {
    const text = await readFile(path, 'utf8');
    return { text, configuration: parseAuthenticationConfiguration(text) };
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`failed to load authentication configuration from file ${JSON.stringify(path)}: ${why}`, { cause });
  }
}

/** Returns the AuthenticationConfiguration for the flags `--oidc-*`. */
async function configurationOfFlags(options: CompletedOptions): Promise<AuthenticationConfiguration> {
  const { oidcIssuerUrl: url = '', oidcClientId = '', oidcCaFile, oidcGroupsClaim = '' } = options;
  const claim = options.oidcUsernameClaim || 'sub';
  const prefix = options.oidcUsernamePrefix || (claim === 'email' ? '' : `${url}#`);
  return {
    jwt: [
      {
        issuer: {
          url,
          discoveryURL: '',
          certificateAuthority: oidcCaFile ? await readFile(oidcCaFile, 'utf8') : '',
          audiences: [oidcClientId],
          audienceMatchPolicy: '',
          egressSelectorType: '',
        },
        claimValidationRules: [...(options.oidcRequiredClaim ?? [])].map(([required, requiredValue]) => ({
          claim: required,
          requiredValue,
          expression: '',
          message: '',
        })),
        claimMappings: {
          username: { claim, expression: '', prefix: prefix === '-' ? '' : prefix },
          groups: { claim: oidcGroupsClaim, expression: '', prefix: options.oidcGroupsPrefix ?? '' },
          uid: { claim: '', expression: '' },
          extra: [],
        },
        userValidationRules: [],
      },
    ],
  };
}

async function tokenWebhookOf(
  options: CompletedOptions,
  now: () => Date,
): Promise<Pick<Authentication, 'tokenWebhook'>> {
  const file = options.authenticationTokenWebhookConfigFile;
  if (!file) return {};
  const webhook = await webhookFromKubeconfig(file, { userAgent, now });
  return {
    tokenWebhook: {
      webhook,
      version: options.authenticationTokenWebhookVersion === 'v1' ? 'v1' : 'v1beta1',
      cacheTtlMs: durationToMs(options.authenticationTokenWebhookCacheTtl),
    },
  };
}

/** Returns the configured authorizers. Throws an Error with upstream's message. */
export async function authorizationOf(options: CompletedOptions, now: () => Date): Promise<PreparedAuthorization> {
  const { authorizationConfig: path } = options;
  const prepareOptions = { userAgent, now };
  if (!path) {
    const authorizers = await prepareAuthorizers(authorizationOfFlags(options), prepareOptions);
    return { authorizers, options: prepareOptions };
  }
  const text = await readFile(path, 'utf8');
  const configuration = parseAuthorizationConfigurationFile(text);
  await checkAuthorizationConfiguration(configuration);
  const authorizers = await prepareAuthorizers(configuration, prepareOptions);
  return { authorizers, options: prepareOptions, file: { path, text } };
}

/** Returns the AuthorizationConfiguration for the flags. */
function authorizationOfFlags(options: CompletedOptions): AuthorizationConfiguration {
  const { authorizationWebhookConfigFile = '', authorizationWebhookVersion = defaultReviewVersion } = options;
  const webhook = {
    authorizedTTL: options.authorizationWebhookCacheAuthorizedTtl ?? '5m0s',
    cacheAuthorizedRequests: true,
    unauthorizedTTL: options.authorizationWebhookCacheUnauthorizedTtl ?? '30s',
    cacheUnauthorizedRequests: true,
    timeout: '30s',
    subjectAccessReviewVersion: authorizationWebhookVersion,
    matchConditionSubjectAccessReviewVersion: '',
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: authorizationWebhookConfigFile },
    matchConditions: [],
  };
  const modes = options.authorizationMode ?? defaultAuthorizationModes;
  return {
    authorizers: modes.map((type) =>
      type === 'Webhook' ? { type, name: 'default', webhook } : { type, name: type.toLowerCase() },
    ),
  };
}
