import { isDns1035Label, isDns1123Label, isDns1123Subdomain } from './dns.ts';
import type { StringCheck } from './string-format.ts';

/** Says what is wrong with a name; with `prefix` the name is a generateName that a suffix will follow. */
export type ValidateNameFunc = (name: string, prefix: boolean) => string[];

/** A generateName may end in the dash that the suffix will follow. */
export function maskTrailingDash(name: string): string {
  if (name.length < 2 || !name.endsWith('-')) return name;
  // Whatever stands before it goes with the dash, but upstream takes one byte only: what is not ASCII stays refused.
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

/** A name that can stand as one segment of a URL's path: all that RBAC objects ask for. */
export function isPathSegmentName(name: string): string[] {
  return name === '.' || name === '..' ? [`may not be '${name}'`] : isPathSegmentPrefix(name);
}

/** The beginning of such a name, where dots alone do no harm. */
export function isPathSegmentPrefix(name: string): string[] {
  const messages: string[] = [];
  if (name.includes('/')) messages.push("may not contain '/'");
  if (name.includes('%')) messages.push("may not contain '%'");
  return messages;
}

export const pathSegmentName: ValidateNameFunc = (name, prefix) =>
  prefix ? isPathSegmentPrefix(name) : isPathSegmentName(name);
