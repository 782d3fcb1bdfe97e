import type { Secret } from '@coxswain/api/core/v1';
import { decodeBase64 } from '@coxswain/apimachinery/schema';
import { dateFromTime } from '@coxswain/apimachinery/time';

/** Where bootstrap tokens are; elsewhere they count for nothing. */
export const tokenNamespace = 'kube-system';

export const isBootstrapToken = ({ type, metadata }: Secret): boolean =>
  type === 'bootstrap.kubernetes.io/token' && metadata.namespace === tokenNamespace;

/** What a key of the Secret holds, as text; empty when it has no such key. */
export const textOf = ({ data }: Secret, key: string): string =>
  new TextDecoder().decode(decodeBase64(data?.[key] ?? ''));

/** Until the token expires, zero or less when it has or when nobody can tell; undefined when it never does. */
export function remainingMs(secret: Secret, now: number): number | undefined {
  const expiration = textOf(secret, 'expiration');
  if (expiration === '') return undefined;
  try {
    return dateFromTime(expiration).getTime() - now;
  } catch {
    return 0;
  }
}
