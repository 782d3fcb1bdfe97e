import { isJsonObject, quote } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { headerProblem, parseJwt, unverifiedClaims } from '@coxswain/apimachinery/jwt';
import { formatAudiences } from '@coxswain/component-base/authentication';
import { type Claims, cannotUnmarshal } from './claims.ts';
import type { RemoteKeySet } from './remote-key-set.ts';

export interface IdTokenVerifierOptions {
  readonly issuer: string;
  /** A token must have at least one of these audiences. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly now: () => Date;
}

const googleIssuer = 'https://accounts.google.com';
const googleIssuerWithoutScheme = 'accounts.google.com';
/** How far the clocks of issuers may be ahead. */
const notBeforeLeewayMs = 60_000;

/** The unverified issuer of a token; undefined for malformed tokens. */
export function untrustedIssuer(token: string): string | undefined {
  const claims = unverifiedClaims(token) ?? {};
  if (!Object.hasOwn(claims, 'iss') || typeof claims.iss !== 'string') return undefined;
  return claims.iss === googleIssuerWithoutScheme ? googleIssuer : claims.iss;
}

/**
 * Verifies a token: its signature by one of the keys, issuer, audience and times. Returns its claims. Throws an Error
 * with upstream's message when it is invalid.
 */
export async function verifyIdToken(
  token: string,
  keys: RemoteKeySet,
  { issuer, audiences, algorithms, now }: IdTokenVerifierOptions,
): Promise<Claims> {
  const jwt = parseJwt(token);
  if (!jwt) {
    const problem = headerProblem(token);
    throw new Error(`oidc: malformed jwt${problem === undefined ? '' : `: ${problem}`}`);
  }
  const { alg = '' } = jwt.header;
  if (typeof alg !== 'string')
    throw new Error(
      `oidc: malformed jwt: failed to unmarshal algorithm: ${cannotUnmarshal(alg, 'string').message}: ${quote(JSON.stringify(alg))}`,
    );
  if (!algorithms.includes(alg))
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${formatAudiences(algorithms)} got ${quote(alg)}`,
    );
  try {
    await keys.verify(jwt);
  } catch (cause) {
    throw new Error(`failed to verify signature: ${messageOf(cause)}`, { cause });
  }
  const { claims } = jwt;
  const iss = text(claims, 'iss');
  for (const name of ['sub', 'nonce', 'at_hash']) text(claims, name);
  timeOf(claims, 'iat');
  checkSources(claims);
  if (iss !== issuer && !(issuer === googleIssuer && iss === googleIssuerWithoutScheme))
    throw new Error(`oidc: id token issued by a different provider, expected ${quote(issuer)} got ${quote(iss)}`);
  checkAudience(audienceOf(claims), audiences);
  checkTime(claims, now());
  return claims;
}

function checkAudience(offered: readonly string[], audiences: readonly string[]): void {
  if (audiences.some((audience) => offered.includes(audience))) return;
  const expected = audiences.length === 1 ? quote(audiences[0]!) : `in ${formatAudiences([...audiences].sort())}`;
  throw new Error(`oidc: expected audience ${expected} got ${formatAudiences(offered)}`);
}

function checkTime(claims: Claims, now: Date): void {
  const expiry = timeOf(claims, 'exp');
  if (expiry === undefined || expiry < now)
    throw new Error(`oidc: token is expired (Token Expiry: ${expiry ? goTime(expiry) : zeroTime})`);
  const notBefore = timeOf(claims, 'nbf');
  if (notBefore && now.getTime() + notBeforeLeewayMs < notBefore.getTime())
    throw new Error(`oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(notBefore)}`);
}

/** Every distributed or aggregated claim must have a source. */
function checkSources(claims: Claims): void {
  const names = claimOf(claims, '_claim_names');
  if (names === undefined) return;
  if (!isJsonObject(names)) throw unusable(names, 'map[string]string', '_claim_names');
  const sources = claimOf(claims, '_claim_sources') ?? {};
  if (!isJsonObject(sources)) throw unusable(sources, 'map[string]oidc.claimSource', '_claim_sources');
  for (const source of Object.values(names)) {
    if (typeof source !== 'string') throw unusable(source, 'string', '_claim_names');
    if (source === '') throw new Error('oidc: failed to obtain source from claim name');
    if (!Object.hasOwn(sources, source)) throw new Error('oidc: source does not exist');
  }
}

const claimOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? (claims[name] ?? undefined) : undefined;

function text(claims: Claims, name: string): string {
  const value = claimOf(claims, name) ?? '';
  if (typeof value !== 'string') throw unusable(value, 'string', name);
  return value;
}

function audienceOf(claims: Claims): string[] {
  const value = claimOf(claims, 'aud') ?? [];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) throw unusable(value, '[]string', 'aud');
  return value.map((item: unknown) => {
    if (typeof item !== 'string') throw unusable(item, 'string', 'aud');
    return item;
  });
}

function timeOf(claims: Claims, name: string): Date | undefined {
  const value = claimOf(claims, name);
  if (value === undefined) return undefined;
  const seconds = typeof value === 'string' && numeral.test(value) ? Number(value) : value;
  if (typeof seconds === 'string')
    throw new Error(
      `oidc: failed to unmarshal claims: json: invalid number literal, trying to unmarshal ${quote(JSON.stringify(seconds))} into Number`,
    );
  if (typeof seconds !== 'number') throw unusable(seconds, 'json.Number', name);
  // Clamps values beyond the range of Date.
  return new Date(Math.min(Math.max(Math.trunc(seconds) * 1000, -maxDateMs), maxDateMs));
}

/** A JSON number: Go also accepts one in a string. */
const numeral = /^-?(0|[1-9]\d{0,20})(\.\d{1,20})?([eE][-+]?\d{1,3})?$/;
const maxDateMs = 8.64e15;
const zeroTime = '0001-01-01 00:00:00 +0000 UTC';
const goTime = (date: Date): string =>
  `${date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} +0000 UTC`;

const unusable = (value: unknown, type: string, claim: string): Error =>
  new Error(`oidc: failed to unmarshal claims: ${cannotUnmarshal(value, type, `idToken.${claim}`).message}`);
