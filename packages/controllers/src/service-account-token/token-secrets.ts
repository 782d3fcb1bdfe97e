import type { Secret, ServiceAccount } from '@coxswain/api/core/v1';
import { encodeBase64 } from '@coxswain/apimachinery/schema';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';

const tokenSecretType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';
const accountIndex = 'serviceAccount';

export const isTokenSecret = ({ type }: Secret): boolean => type === tokenSecretType;

/** Returns the account that the Secret's token is for. The uid is empty before the Secret has been filled. */
export function accountOf({ metadata: { annotations } }: Secret): { name: string; uid: string } {
  return { name: annotations?.[nameAnnotation] ?? '', uid: annotations?.[uidAnnotation] ?? '' };
}

/** Adds the index that `tokenSecretsOf` uses. Does nothing when it exists. */
export function addAccountIndex(secrets: SharedIndexInformer<Secret>): void {
  if (secrets.indexer.hasIndex(accountIndex)) return;
  secrets.addIndexers({
    [accountIndex]: (secret) =>
      isTokenSecret(secret) ? [`${secret.metadata.namespace}/${accountOf(secret).name}`] : [],
  });
}

/** Returns the token Secrets of the account with this uid. */
export function tokenSecretsOf(secrets: Indexer<Secret>, namespace: string, name: string, uid: string): Secret[] {
  return secrets.byIndex(accountIndex, `${namespace}/${name}`).filter((secret) => accountOf(secret).uid === uid);
}

/** The claims of a token in a Secret. */
export interface LegacyTokenClaims {
  readonly iss: 'kubernetes/serviceaccount';
  readonly sub: string;
  readonly 'kubernetes.io/serviceaccount/namespace': string;
  readonly 'kubernetes.io/serviceaccount/secret.name': string;
  readonly 'kubernetes.io/serviceaccount/service-account.name': string;
  readonly 'kubernetes.io/serviceaccount/service-account.uid': string;
}

export function legacyTokenClaims(account: ServiceAccount, secret: Secret): LegacyTokenClaims {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  return {
    iss: 'kubernetes/serviceaccount',
    sub: `system:serviceaccount:${namespace}:${name}`,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret.metadata.name ?? '',
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
  };
}

/** The missing or outdated parts of the Secret's data. */
export interface Missing {
  readonly rootCA: boolean;
  readonly namespace: boolean;
  readonly token: boolean;
}

/** Returns the missing parts, or undefined when the Secret is complete. */
export function missingIn({ data }: Secret, rootCA: string): Missing | undefined {
  const missing = {
    rootCA: rootCA !== '' && data?.['ca.crt'] !== toBase64(rootCA),
    namespace: !data?.namespace,
    token: !data?.token,
  };
  return missing.rootCA || missing.namespace || missing.token ? missing : undefined;
}

/** Returns the Secret with the missing parts. `token` is undefined if the token is not missing. */
export function filledIn(
  secret: Secret,
  account: ServiceAccount,
  {
    missing,
    rootCA,
    token,
  }: { readonly missing: Missing; readonly rootCA: string; readonly token: string | undefined },
): Secret {
  const { name = '', uid = '' } = account.metadata;
  return {
    ...secret,
    metadata: {
      ...secret.metadata,
      annotations: { ...secret.metadata.annotations, [nameAnnotation]: name, [uidAnnotation]: uid },
    },
    data: {
      ...secret.data,
      ...(missing.rootCA && { 'ca.crt': toBase64(rootCA) }),
      ...(missing.namespace && { namespace: toBase64(secret.metadata.namespace ?? '') }),
      ...(token !== undefined && { token: toBase64(token) }),
    },
  };
}

const toBase64 = (text: string): string => encodeBase64(new TextEncoder().encode(text));
