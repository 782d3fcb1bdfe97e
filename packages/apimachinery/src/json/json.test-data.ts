/** Returns lists nested in each other. */
export function nested(depth: number): unknown {
  let value: unknown[] = [];
  for (let i = 1; i < depth; i++) value = [value];
  return value;
}

/** Returns an object whose keys have a meaning in JavaScript, as own properties, which is how JSON.parse creates them. */
export const pollutingKeys = (): Record<string, unknown> =>
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":null}}');
