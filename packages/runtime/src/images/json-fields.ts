/** Reads values out of JSON that somebody else has made. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The texts of an object; others are left out. Undefined if it is none. */
export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((it): it is string => typeof it === 'string') : undefined;
}

export function textMapOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter((it): it is [string, string] => typeof it[1] === 'string'));
}
