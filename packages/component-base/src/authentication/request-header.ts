import { setOwnEntry } from '@coxswain/apimachinery';
import type { RequestHeaders } from '../http/handler.ts';
import type { Authenticator } from './authenticator.ts';
import type { CertificateAuthorities } from './certificate-pool.ts';
import { ClientCertificateVerifier } from './client-certificate-verifier.ts';

/** The headers in which a front proxy names the user: `--requestheader-*-headers`. Case-insensitive. */
export interface RequestHeaderNames {
  /** The first of these headers that is present is used. */
  readonly username: readonly string[];
  readonly uid: readonly string[];
  /** All values of all these headers are used. */
  readonly group: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** The headers that aggregated API servers receive. They are always removed from incoming requests. */
export const standardRequestHeaders: RequestHeaderNames = {
  username: ['x-remote-user'],
  uid: ['x-remote-uid'],
  group: ['x-remote-group'],
  extraPrefixes: ['x-remote-extra-'],
};

export interface RequestHeaderOptions {
  /** `--requestheader-client-ca-file`: the CAs of front proxies. */
  readonly pool: CertificateAuthorities;
  /** `--requestheader-allowed-names`: the common names of front proxies; empty allows every certificate of the CAs. */
  readonly allowedNames: readonly string[];
  readonly headers: RequestHeaderNames;
}

/**
 * Authenticates by the user headers of a front proxy. The headers count only when the client certificate is one of a
 * front proxy.
 */
export function requestHeaderAuthenticator(
  { pool, allowedNames, headers }: RequestHeaderOptions,
  apiAudiences: readonly string[],
  now: () => Date,
): Authenticator {
  const verifier = new ClientCertificateVerifier(pool, now, ({ subject }) => subject.commonName);
  const names = inLowerCase(headers);
  return {
    async authenticate(request) {
      const commonName = verifier.verify(request.connection.clientCertificates);
      if (commonName === undefined) return undefined;
      if (allowedNames.length > 0 && !allowedNames.includes(commonName))
        throw new Error(`x509: subject with cn=${commonName} is not in the allowed list`);
      const username = firstValue(request.headers, names.username);
      if (username === '') return undefined;
      const uid = firstValue(request.headers, names.uid);
      const groups = names.group.flatMap((name) => valuesOf(request.headers, name)).filter((group) => group !== '');
      const user = { username, ...(uid && { uid }), groups, extra: extraOf(request.headers, names.extraPrefixes) };
      return { user, ...(apiAudiences.length > 0 && { audiences: apiAudiences }) };
    },
  };
}

function inLowerCase(names: RequestHeaderNames): RequestHeaderNames {
  const lower = (list: readonly string[]): string[] => list.map((name) => name.trim().toLowerCase());
  return {
    username: lower(names.username),
    uid: lower(names.uid),
    group: lower(names.group),
    extraPrefixes: lower(names.extraPrefixes),
  };
}

const valuesOf = (headers: RequestHeaders, name: string): readonly string[] => [headers[name] ?? []].flat();

/** Returns the first value of the first header that is present and not empty. */
function firstValue(headers: RequestHeaders, names: readonly string[]): string {
  for (const name of names) {
    const [value] = valuesOf(headers, name);
    if (value) return value;
  }
  return '';
}

function extraOf(headers: RequestHeaders, prefixes: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const prefix of prefixes)
    for (const name of Object.keys(headers))
      if (name.startsWith(prefix)) {
        const key = unescapeKey(name.slice(prefix.length));
        setOwnEntry(extra, key, [...(Object.hasOwn(extra, key) ? extra[key]! : []), ...valuesOf(headers, name)]);
      }
  return extra;
}

/** Keys are percent-encoded because they may contain characters that header names may not. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Returns a predicate that is true for the headers, in lower case, in which a front proxy names the user. */
export function requestHeaderMatcher(all: readonly RequestHeaderNames[]): (name: string) => boolean {
  const lists = all.map(inLowerCase);
  const exact = new Set(lists.flatMap(({ username, uid, group }) => [...username, ...uid, ...group]));
  const prefixes = [...new Set(lists.flatMap(({ extraPrefixes }) => extraPrefixes))];
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
