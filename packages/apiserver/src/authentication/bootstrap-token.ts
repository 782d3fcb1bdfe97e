import type { Secret } from '@coxswain/api/core/v1';
import { dateFromTime, ownEntry } from '@coxswain/apimachinery';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import type { TokenAuthenticator } from '@coxswain/component-base/authentication';
import type { Lister } from '../registry/lister.ts';
import { sameSecret } from '../secrets/same-secret.ts';

const tokenForm = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const defaultGroup = 'system:bootstrappers';

export interface BootstrapTokenOptions {
  readonly secrets: Lister<Secret>;
  readonly now: () => Date;
  /** Receives the reason why a token with a known ID is not accepted. */
  readonly logger?: Logger;
}

/**
 * Authenticates bootstrap tokens of new nodes: Secrets `bootstrap-token-<id>` in `kube-system`. The user is
 * `system:bootstrap:<id>`. The reason of a rejection is only logged, never sent to the client.
 */
export function bootstrapTokenAuthenticator({
  secrets,
  now,
  logger = silentLogger,
}: BootstrapTokenOptions): TokenAuthenticator {
  return {
    async authenticateToken(token) {
      const [, id, tokenSecret] = tokenForm.exec(token) ?? [];
      if (id === undefined || tokenSecret === undefined) return undefined;
      const name = `bootstrap-token-${id}`;
      const secret = secrets.get('kube-system', name);
      if (!secret) {
        logger.v(3).info('No secret to match bootstrap bearer token', { secret: name });
        return undefined;
      }
      const groups = groupsOf(secret);
      const problem =
        secretProblem(secret, id, tokenSecret, now()) ?? (groups ? undefined : badValue('auth-extra-groups'));
      if (problem === undefined) return { user: { username: `system:bootstrap:${id}`, groups: groups ?? [] } };
      logger.v(3).info('Bootstrap secret matching bearer token cannot be used', { secret, problem });
      return undefined;
    },
  };
}

const badValue = (key: string): string => `has invalid value for key ${key}.`;

const dataOf = ({ data }: Secret, key: string): string => Buffer.from(ownEntry(data, key) ?? '', 'base64').toString();

function secretProblem(secret: Secret, id: string, tokenSecret: string, now: Date): string | undefined {
  if (secret.metadata.deletionTimestamp) return 'is deleted and awaiting removal';
  if (secret.type !== 'bootstrap.kubernetes.io/token' || !secret.data)
    return 'has invalid type, expected bootstrap.kubernetes.io/token.';
  if (!sameSecret(dataOf(secret, 'token-secret'), tokenSecret)) return badValue('token-secret');
  if (dataOf(secret, 'token-id') !== id) return badValue('token-id');
  if (hasExpired(dataOf(secret, 'expiration'), now)) return 'has expired';
  if (dataOf(secret, 'usage-bootstrap-authentication') !== 'true')
    return 'not marked usage-bootstrap-authentication=true.';
  return undefined;
}

/** Whether an expiration time has passed. An unreadable one counts as expired. */
function hasExpired(expiration: string, now: Date): boolean {
  if (expiration === '') return false;
  try {
    return dateFromTime(expiration) <= now;
  } catch {
    return true;
  }
}

/** The groups, sorted and without duplicates; undefined when a Secret must not grant one of them. */
function groupsOf(secret: Secret): string[] | undefined {
  const extra = dataOf(secret, 'auth-extra-groups');
  const groups = extra === '' ? [] : extra.split(',');
  return groups.every((group) => groupForm.test(group)) ? [...new Set([defaultGroup, ...groups])].sort() : undefined;
}
