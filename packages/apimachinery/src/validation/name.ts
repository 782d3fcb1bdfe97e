import { isDns1035Label, isDns1123Label, isDns1123Subdomain } from './dns.ts';
import type { StringCheck } from './string-format.ts';

/** Returns the problems of a name. With `prefix` the name is a generateName, which a suffix will follow. */
export type ValidateNameFunc = (name: string, prefix: boolean) => string[];

/** Replaces the dash at the end of a generateName, which is valid because a suffix will follow. */
export function maskTrailingDash(name: string): string {
  if (name.length < 2 || !name.endsWith('-')) return name;
  // The character before the dash is replaced together with it. Upstream replaces one byte only, so a character that is not ASCII is
  // still refused.
  return name.charCodeAt(name.length - 2) < 0x80 ? `${name.slice(0, -2)}a` : name.slice(0, -1);
}

const nameIs =
  (check: StringCheck): ValidateNameFunc =>
  (name, prefix) =>
    check(prefix ? maskTrailingDash(name) : name);

export const nameIsDnsSubdomain: ValidateNameFunc = nameIs(isDns1123Subdomain);
export const nameIsDnsLabel: ValidateNameFunc = nameIs(isDns1123Label);
export const nameIsDns1035Label: ValidateNameFunc = nameIs(isDns1035Label);
export const validateNamespaceName: ValidateNameFunc = nameIsDnsLabel;
export const validateServiceAccountName: ValidateNameFunc = nameIsDnsSubdomain;

/** Checks that a name can be one segment of a URL path, which is the only rule for names of RBAC objects. */
export function isPathSegmentName(name: string): string[] {
  return name === '.' || name === '..' ? [`may not be '${name}'`] : isPathSegmentPrefix(name);
}

/** Checks the beginning of such a name, which may consist of dots. */
export function isPathSegmentPrefix(name: string): string[] {
  const messages: string[] = [];
  if (name.includes('/')) messages.push("may not contain '/'");
  if (name.includes('%')) messages.push("may not contain '%'");
  return messages;
}

export const pathSegmentName: ValidateNameFunc = (name, prefix) =>
  prefix ? isPathSegmentPrefix(name) : isPathSegmentName(name);
