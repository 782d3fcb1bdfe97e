import { newBadRequest, quote } from '@coxswain/apimachinery';
import type { RequestHeaders } from '@coxswain/component-base/http';

/** The user in the impersonation headers, without any additions. */
export interface WantedUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

const extraPrefix = 'impersonate-extra-';

/** Whether a header (in lower case) is an impersonation header. They are removed after the check. */
export const isImpersonationHeader = (name: string): boolean =>
  name === 'impersonate-user' ||
  name === 'impersonate-group' ||
  name === 'impersonate-uid' ||
  name.startsWith(extraPrefix);

/** Returns undefined without impersonation. Throws BadRequest for impersonation headers without a user name. */
export function wantedUser(headers: RequestHeaders): WantedUser | undefined {
  const [username = ''] = values(headers['impersonate-user']);
  const [uid = ''] = values(headers['impersonate-uid']);
  const groups = values(headers['impersonate-group']);
  const extra = new Map<string, readonly string[]>();
  let hasExtra = false;
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix) || value === undefined) continue;
    hasExtra = true;
    const key = decode(header.slice(extraPrefix.length));
    if (values(value).length > 0) extra.set(key, [...(extra.get(key) ?? []), ...values(value)]);
  }
  const wanted = { username, uid, groups, extra };
  if (username !== '') return wanted;
  if (uid === '' && groups.length === 0 && !hasExtra) return undefined;
  throw newBadRequest(`requested ${goSyntax(wanted)} without impersonating a user name`);
}

const values = (value: RequestHeaders[string]): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** Keys may contain any bytes, percent-encoded. An invalid encoding is taken literally. */
function decode(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** As Go's `%#v` prints it. */
function goSyntax({ uid, groups, extra }: WantedUser): string {
  const list = (items: readonly string[]) => `[]string{${items.map(quote).join(', ')}}`;
  const entries = [...extra].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, items]) => `${quote(key)}:${list(items)}`);
  const groupList = groups.length > 0 ? list(groups) : '[]string(nil)';
  const extraMap = extra.size > 0 ? `map[string][]string{${entries.join(', ')}}` : 'map[string][]string(nil)';
  return `&user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${groupList}, Extra:${extraMap}}`;
}
