type Json = Record<string, unknown>;

/**
 * Returns a copy of `object` whose field at the dotted path is that of `source`, absent if absent there. Values that do
 * not change are shared.
 */
export function takeField<T extends object>(object: T, source: T, path: string): T {
  return take(object as Json, source as Json, path.split('.')) as T;
}

/** Returns a copy without the field at the dotted path. */
export function clearField<T extends object>(object: T, path: string): T {
  return take(object as Json, {}, path.split('.')) as T;
}

function take(object: Json, source: Json, [name, ...rest]: readonly string[]): Json {
  const result: Json = {};
  let seen = false;
  const replacement = rest.length === 0 ? source[name!] : take(child(object, name!), child(source, name!), rest);
  const keep = rest.length === 0 ? replacement !== undefined : object[name!] !== undefined;
  for (const key of Object.keys(object)) {
    if (key !== name) result[key] = object[key];
    else if (keep) {
      result[key] = replacement;
      seen = true;
    }
  }
  if (keep && !seen) result[name!] = replacement;
  return result;
}

function child(object: Json, name: string): Json {
  const value = object[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
