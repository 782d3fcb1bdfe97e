/** Lists within lists. */
export function nested(depth: number): unknown {
  let value: unknown[] = [];
  for (let i = 1; i < depth; i++) value = [value];
  return value;
}

/** Keys that mean something to JavaScript, as JSON.parse makes them: own properties. */
export const pollutingKeys = (): Record<string, unknown> =>
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":null}}');
