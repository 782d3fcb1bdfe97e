import { quote } from '@coxswain/apimachinery';

/** Returns the wanted audiences that are also offered, in the order of `wanted`. */
export const intersectAudiences = (offered: readonly string[], wanted: readonly string[]): string[] =>
  wanted.filter((audience) => offered.includes(audience));

/** Formats as Go prints a list of strings: `["a" "b"]`. */
export const formatAudiences = (audiences: readonly string[]): string => `[${audiences.map(quote).join(' ')}]`;
