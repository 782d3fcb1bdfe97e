import { isJsonObject } from '@coxswain/apimachinery';

/** The claims of a token, as in its JSON. */
export type Claims = Readonly<Record<string, unknown>>;

export const hasClaim = (claims: Claims, name: string): boolean => Object.hasOwn(claims, name);

/** Returns a string claim; null is empty. Throws an Error with Go's text when it is missing or no string. */
export const stringClaim = (claims: Claims, name: string): string => asString(presentClaim(claims, name));

/** Like `stringClaim` for a boolean; null is false. */
export function booleanClaim(claims: Claims, name: string): boolean {
  const value = presentClaim(claims, name) ?? false;
  if (typeof value !== 'boolean') throw cannotUnmarshal(value, 'bool');
  return value;
}

/** Like `stringClaim` for a list of strings, or a single string; null is the empty list. */
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

/** Go's error for JSON of another type, naming the struct field when it is given. */
export const cannotUnmarshal = (value: unknown, type: string, field?: string): Error =>
  new Error(
    `json: cannot unmarshal ${kindOf(value)} into Go ${field ? `struct field ${field}` : 'value'} of type ${type}`,
  );

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
