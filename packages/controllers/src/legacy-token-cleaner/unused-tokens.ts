import type { Secret, ServiceAccount } from '@coxswain/api/core/v1';
import { accountOf, isTokenSecret } from '../service-account-token/token-secrets.ts';

const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
export const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';

/** `2026-01-31`; the labels hold days. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** What there is to be known about a Secret, apart from itself. */
export interface TokenUse {
  readonly account: ServiceAccount | undefined;
  isMounted(): boolean;
  readonly now: number;
  /** How long nobody must have used a token. */
  readonly cleanUpPeriodMs: number;
}

/** What is to be done about a Secret: first its token is made invalid, and a period later it is deleted. */
export function fateOf(
  secret: Secret,
  { account, isMounted, now, cleanUpPeriodMs }: TokenUse,
): 'keep' | 'invalidate' | 'delete' {
  const { name, labels, creationTimestamp = '', deletionTimestamp } = secret.metadata;
  const since = now - cleanUpPeriodMs;
  if (!isTokenSecret(secret) || deletionTimestamp !== undefined) return 'keep';
  if (Date.parse(creationTimestamp) >= since) return 'keep';
  const lastUsed = labels?.[lastUsedLabel];
  if (lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= dayOf(since))) return 'keep';
  // Only those that were made without being asked for are in their account's list.
  const { uid } = accountOf(secret);
  if (!account || (uid !== '' && account.metadata.uid !== uid)) return 'keep';
  if (!account.secrets?.some((reference) => reference.name === name)) return 'keep';
  if (isMounted()) return 'keep';
  const invalidSince = labels?.[invalidSinceLabel];
  if (!isDay(invalidSince)) return 'invalidate';
  return invalidSince >= dayOf(since) ? 'keep' : 'delete';
}
