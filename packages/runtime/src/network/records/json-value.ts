export type JSONObject = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is JSONObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((element) => typeof element === 'string');

/** The elements of an array that are objects; nothing if it is not an array. */
export const objectsOf = (value: unknown): readonly JSONObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
