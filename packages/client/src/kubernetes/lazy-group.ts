import type { RESTClient } from '../rest/index.ts';

type Versions = Readonly<Record<string, (rest: RESTClient) => object>>;
type Group<V extends Versions> = { readonly [Version in keyof V]: ReturnType<V[Version]> };

/** The versions of a group. Each is created on first access and kept. */
export function lazyGroup<V extends Versions>(rest: RESTClient, versions: V): Group<V> {
  const group = {};
  for (const [version, make] of Object.entries(versions)) lazyProperty(group, version, () => make(rest));
  // Has a property for every version, of its function's return type.
  return group as Group<V>;
}

function lazyProperty(object: object, name: string, make: () => object): void {
  const get = (): object => keep(object, name, make());
  Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
}

/** Replaces the getter with a plain property. */
export function keep<T>(object: object, name: string, value: T): T {
  Object.defineProperty(object, name, { value, enumerable: true });
  return value;
}
