import type { Secret, ServiceAccount } from '@coxswain/api/core/v1';
import { GroupResource, newNotFound, ownEntry } from '@coxswain/apimachinery';
import type { Logger } from '@coxswain/apimachinery/log';
import type { InternalClient } from '../registry/lister.ts';
import { sameSecret } from '../secrets/same-secret.ts';
import type { Claims, LegacyClaims } from './claims.ts';
import type { TokenObjects, TokenValidator, ValidatedToken } from './token-objects.ts';
import { splitServiceAccountUsername } from './user-info.ts';

/** The issuer of legacy tokens, which are stored in secrets. */
export const legacyIssuer = 'kubernetes/serviceaccount';

const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';

export interface LegacyTokenOptions {
  readonly objects: TokenObjects;
  /** `--service-account-lookup`: whether the secret and service account must still exist. Default true. */
  readonly lookup?: boolean;
  readonly now: () => Date;
  /** Writes labels to the secret that show which tokens are still in use. Must not reject. */
  readonly label?: (secret: Secret, labels: Readonly<Record<string, string>>) => Promise<void>;
}

/** Returns the `LegacyTokenOptions.label` that writes as the server itself. Errors are logged and do not affect the token. */
export function secretLabeller(
  client: Pick<InternalClient, 'update'>,
  logger: Logger,
): NonNullable<LegacyTokenOptions['label']> {
  return async (secret, labels) => {
    const { metadata } = secret;
    try {
      const labelled = { ...secret, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
      await client.update('', 'secrets', labelled);
    } catch (error) {
      const message = 'Failed to label legacy service account token secret with last-used date';
      logger.error(message, error, { secret: { name: metadata.name, namespace: metadata.namespace } });
    }
  };
}

/** Returns a validator for tokens in secrets of type `kubernetes.io/service-account-token`, which never expire. */
export function legacyTokenValidator(options: LegacyTokenOptions): TokenValidator {
  return async (claims, token) => {
    const { legacy } = claims;
    checkClaims(claims);
    const { namespace, serviceAccountName: name, serviceAccountUid: uid } = legacy;
    const identity = { namespace, name, uid };
    if (options.lookup === false) return { identity };
    const { secret, serviceAccount } = lookUp(options.objects, legacy, token);
    await noteUse(secret, options);
    if (ownEntry(secret.metadata.labels, invalidSinceLabel))
      throw new Error(
        `the token in secret ${namespace}/${legacy.secretName} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSinceLabel}' label from the secret to temporarily allow use of this token`,
      );
    return { identity, ...provenance(secret, serviceAccount) };
  };
}

function checkClaims({ subject, legacy }: Claims): void {
  const required: readonly [name: string, value: string][] = [
    ['sub', subject],
    ['namespace', legacy.namespace],
    ['secretName', legacy.secretName],
    ['serviceAccountName', legacy.serviceAccountName],
    ['serviceAccountUID', legacy.serviceAccountUid],
  ];
  for (const [name, value] of required) if (value === '') throw new Error(`${name} claim is missing`);
  const account = splitServiceAccountUsername(subject);
  if (account?.namespace !== legacy.namespace || account.name !== legacy.serviceAccountName)
    throw new Error('sub claim is invalid');
}

function lookUp(
  objects: TokenObjects,
  { namespace, secretName, serviceAccountName: name, serviceAccountUid }: LegacyClaims,
  token: string,
): { secret: Secret; serviceAccount: ServiceAccount } {
  const secret = objects.secrets.get(namespace, secretName);
  if (!secret || secret.metadata.deletionTimestamp) throw new Error('Token has been invalidated');
  const copy = Buffer.from(ownEntry(secret.data, 'token') ?? '', 'base64').toString();
  if (!sameSecret(copy, token)) throw new Error("Token does not match server's copy");
  const serviceAccount = objects.serviceAccounts.get(namespace, name);
  if (!serviceAccount) throw newNotFound(GroupResource.of('', 'serviceaccounts'), name);
  const { uid = '', deletionTimestamp } = serviceAccount.metadata;
  if (deletionTimestamp) throw new Error(`ServiceAccount ${namespace}/${name} has been deleted`);
  if (uid !== serviceAccountUid)
    throw new Error(`ServiceAccount UID (${uid}) does not match claim (${serviceAccountUid})`);
  return { secret, serviceAccount };
}

/** Updates the last-used label once a day. A label of tomorrow comes from a server whose clock is ahead. */
async function noteUse(secret: Secret, { now, label }: LegacyTokenOptions): Promise<void> {
  const day = (offset: number): string => new Date(now().getTime() + offset * 86_400_000).toISOString().slice(0, 10);
  const lastUsed = ownEntry(secret.metadata.labels, lastUsedLabel);
  if (lastUsed !== day(0) && lastUsed !== day(1)) await label?.(secret, { [lastUsedLabel]: day(0) });
}

function provenance(secret: Secret, { secrets = [] }: ServiceAccount): Partial<ValidatedToken> {
  const { name = '' } = secret.metadata;
  if (!secrets.some((reference) => reference.name === name))
    return { annotations: { 'authentication.k8s.io/legacy-token-manual-secret': name } };
  return {
    annotations: { 'authentication.k8s.io/legacy-token-autogenerated-secret': name },
    warnings: [
      'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
    ],
  };
}
