import type { Secret, ServiceAccount } from '@coxswain/api/core/v1';
import { accountOf, isTokenSecret } from '../service-account-token/token-secrets.ts';

const lastUsedLabel = 'kubernetes.io/legacy-token-last-used';
export const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since';

/** Formats a date as `2026-01-31`, as in the labels. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** The inputs of the decision, apart from the Secret. */
export interface TokenUse {
  readonly account: ServiceAccount | undefined;
  isMounted(): boolean;
  readonly now: number;
  /** A token unused for this long is cleaned up. */
  readonly cleanUpPeriodMs: number;
}

/** Decides what to do with a Secret. An unused token is first invalidated, and deleted after another period. */
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
  // The account lists only the Secrets that were generated automatically.
  const { uid } = accountOf(secret);
  if (!account || (uid !== '' && account.metadata.uid !== uid)) return 'keep';
  if (!account.secrets?.some((reference) => reference.name === name)) return 'keep';
  if (isMounted()) return 'keep';
  const invalidSince = labels?.[invalidSinceLabel];
  if (!isDay(invalidSince)) return 'invalidate';
  return invalidSince >= dayOf(since) ? 'keep' : 'delete';
}
