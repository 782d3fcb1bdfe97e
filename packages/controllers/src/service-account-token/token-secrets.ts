import type { Secret, ServiceAccount } from '@coxswain/api/core/v1';
import { encodeBase64 } from '@coxswain/apimachinery/schema';
import type { Indexer, SharedIndexInformer } from '@coxswain/client';

const tokenSecretType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';
const accountIndex = 'serviceAccount';

export const isTokenSecret = ({ type }: Secret): boolean => type === tokenSecretType;

/** Which account a Secret's token is for; its uid is not known before the token is made. */
export function accountOf({ metadata: { annotations } }: Secret): { name: string; uid: string } {
  return { name: annotations?.[nameAnnotation] ?? '', uid: annotations?.[uidAnnotation] ?? '' };
}

/** Lets `tokenSecretsOf` find Secrets without going through all of a namespace. */
export function addAccountIndex(secrets: SharedIndexInformer<Secret>): void {
  if (secrets.indexer.hasIndex(accountIndex)) return;
  secrets.addIndexers({
    [accountIndex]: (secret) =>
      isTokenSecret(secret) ? [`${secret.metadata.namespace}/${accountOf(secret).name}`] : [],
  });
}

/** The Secrets with tokens of that very account. */
export function tokenSecretsOf(secrets: Indexer<Secret>, namespace: string, name: string, uid: string): Secret[] {
  return secrets.byIndex(accountIndex, `${namespace}/${name}`).filter((secret) => accountOf(secret).uid === uid);
}

/** What a token that lives in a Secret says. */
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

/** What the Secret has too little of. */
export interface Missing {
  readonly rootCA: boolean;
  readonly namespace: boolean;
  readonly token: boolean;
}

/** Undefined when it has all that it should. */
export function missingIn({ data }: Secret, rootCA: string): Missing | undefined {
  const missing = {
    rootCA: rootCA !== '' && data?.['ca.crt'] !== toBase64(rootCA),
    namespace: !data?.namespace,
    token: !data?.token,
  };
  return missing.rootCA || missing.namespace || missing.token ? missing : undefined;
}

/** The Secret with what it was missing. `token` only where that is a part of it. */
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
