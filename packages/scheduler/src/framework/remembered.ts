/**
 * Caches results by object identity in a WeakMap. Cached API objects are immutable, so a result stays valid for the
 * lifetime of its object.
 */
export function remembered<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
