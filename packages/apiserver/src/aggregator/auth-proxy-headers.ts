import type { UserInfo } from '@coxswain/api';

/** The request headers with the user. An aggregated server trusts them when our client certificate is presented. */
export function authProxyHeaders({
  username = '',
  uid,
  groups = [],
  extra = {},
}: UserInfo): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = Object.create(null);
  headers['x-remote-user'] = username;
  if (uid) headers['x-remote-uid'] = uid;
  if (groups.length > 0) headers['x-remote-group'] = groups;
  for (const [key, values] of Object.entries(extra)) headers[`x-remote-extra-${escapeKey(key)}`] = values;
  return headers;
}

/** Percent-encodes all bytes that are not allowed in header names, and upper-case letters. */
const escapeKey = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9!#$&'*+.^_`|~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
