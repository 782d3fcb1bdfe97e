import { quote } from '@coxswain/apimachinery';

/** Of the wanted, those that are offered, in the order of the wanted. */
export const intersectAudiences = (offered: readonly string[], wanted: readonly string[]): string[] =>
  wanted.filter((audience) => offered.includes(audience));

/** `["a" "b"]`, as Go prints a list of strings. */
export const formatAudiences = (audiences: readonly string[]): string => `[${audiences.map(quote).join(' ')}]`;
