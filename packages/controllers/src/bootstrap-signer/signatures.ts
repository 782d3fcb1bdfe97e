import { createHmac } from 'node:crypto';
import type { ConfigMap, Secret } from '@coxswain/api/core/v1';
import { remainingMs, textOf } from '../token-cleaner/bootstrap-token.ts';

const signaturePrefix = 'jws-kubeconfig-';

/** Returns a detached JWS: with the content and the token one can verify that the content is unchanged. */
function detachedSignature(content: string, tokenId: string, tokenSecret: string): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: tokenId }));
  const signature = createHmac('sha256', tokenSecret)
    .update(`${header}.${base64url(content)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}

/** Returns the ConfigMap's data with the signatures of all tokens that may sign, or undefined when it needs no change. */
export function signedData(
  configMap: ConfigMap,
  secrets: readonly Secret[],
  now: number,
): Record<string, string> | undefined {
  const data = configMap.data ?? {};
  const { kubeconfig } = data;
  if (kubeconfig === undefined) return undefined;
  const isSignature = (key: string): boolean => key.startsWith(signaturePrefix);
  const signed = Object.fromEntries(Object.entries(data).filter(([key]) => !isSignature(key)));
  for (const [id, secret] of signingTokens(secrets, now)) {
    signed[`${signaturePrefix}${id}`] = detachedSignature(kubeconfig, id, secret);
  }
  const isSame =
    Object.keys(signed).length === Object.keys(data).length &&
    Object.entries(signed).every(([key, value]) => data[key] === value);
  return isSame ? undefined : signed;
}

/** Returns the secrets of the tokens that may sign, by token id. */
function signingTokens(secrets: readonly Secret[], now: number): Map<string, string> {
  const tokens = new Map<string, string>();
  for (const secret of secrets) {
    const id = textOf(secret, 'token-id');
    const value = textOf(secret, 'token-secret');
    if (!/^[a-z0-9]{6}$/.test(id) || secret.metadata.name !== `bootstrap-token-${id}` || value === '') continue;
    if ((remainingMs(secret, now) ?? 1) <= 0 || textOf(secret, 'usage-bootstrap-signing') !== 'true') continue;
    tokens.set(id, value);
  }
  return tokens;
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');
