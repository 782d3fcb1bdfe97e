import { isJsonObject } from '@coxswain/apimachinery';

/** What a token says, as it stands in its JSON. */
export type Claims = Readonly<Record<string, unknown>>;

export const hasClaim = (claims: Claims, name: string): boolean => Object.hasOwn(claims, name);

/** Throws an Error, in the words of Go's library, for a claim that is not there or no string; null is empty. */
export const stringClaim = (claims: Claims, name: string): string => asString(presentClaim(claims, name));

/** The same for true and false. */
export function booleanClaim(claims: Claims, name: string): boolean {
  const value = presentClaim(claims, name) ?? false;
  if (typeof value !== 'boolean') throw cannotUnmarshal(value, 'bool');
  return value;
}

/** The same for a list of strings, or one alone. */
export function stringsClaim(claims: Claims, name: string): string[] {
  const value = presentClaim(claims, name) ?? [];
  if (Array.isArray(value) && value.every((item) => item === null || typeof item === 'string'))
    return value.map((item) => item ?? '');
  return [asString(value)];
}

function presentClaim(claims: Claims, name: string): unknown {
  if (!hasClaim(claims, name)) throw new Error('claim not present');
  return claims[name];
}

function asString(value: unknown): string {
  if (value !== null && typeof value !== 'string') throw cannotUnmarshal(value, 'string');
  return value ?? '';
}

/** As Go's library says it, of a field of a struct where one is named. */
export const cannotUnmarshal = (value: unknown, type: string, field?: string): Error =>
  new Error(
    `json: cannot unmarshal ${kindOf(value)} into Go ${field ? `struct field ${field}` : 'value'} of type ${type}`,
  );

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
