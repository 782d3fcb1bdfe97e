import type { Secret } from '@coxswain/api/core/v1';
import { decodeBase64 } from '@coxswain/apimachinery/schema';
import { dateFromTime } from '@coxswain/apimachinery/time';

/** The namespace of bootstrap tokens. They are ignored in others. */
export const tokenNamespace = 'kube-system';

export const isBootstrapToken = ({ type, metadata }: Secret): boolean =>
  type === 'bootstrap.kubernetes.io/token' && metadata.namespace === tokenNamespace;

/** Returns the value of a key of the Secret as text, or an empty text without the key. */
export const textOf = ({ data }: Secret, key: string): string =>
  new TextDecoder().decode(decodeBase64(data?.[key] ?? ''));

/**
 * Returns the milliseconds until the token expires: zero or less when it has expired or its expiration is invalid, undefined when
 * it does not expire.
 */
export function remainingMs(secret: Secret, now: number): number | undefined {
  const expiration = textOf(secret, 'expiration');
  if (expiration === '') return undefined;
  try {
    return dateFromTime(expiration).getTime() - now;
  } catch {
    return 0;
  }
}
