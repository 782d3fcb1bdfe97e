/**
 * Returns the 128-bit FNV-1a hash of a text as 32 hexadecimal digits. Upstream sorts ports and addresses by such hashes. Sorting
 * them the same way means that upstream's controllers and ours find no difference to correct in each other's objects.
 */
export function fnv128a(text: string): string {
  // The hash starts with the offset basis. The prime is 2^88 + 0x13b. a to d are 32 bits each, lowest first.
  let [a, b, c, d] = [0x6295c58d, 0x62b82175, 0x07bb0142, 0x6c62272e];
  for (const byte of new TextEncoder().encode(text)) {
    a = (a ^ byte) >>> 0;
    // Products of 32 and 9 bits are exact in a double.
    const a2 = a * 0x13b;
    const b2 = b * 0x13b + Math.floor(a2 / 2 ** 32);
    const c2 = c * 0x13b + Math.floor(b2 / 2 ** 32) + (a & 0xff) * 2 ** 24;
    const d2 = d * 0x13b + Math.floor(c2 / 2 ** 32) + (b & 0xff) * 2 ** 24 + Math.floor(a / 2 ** 8);
    [a, b, c, d] = [a2 >>> 0, b2 >>> 0, c2 >>> 0, d2 >>> 0];
  }
  return [d, c, b, a].map((part) => part.toString(16).padStart(8, '0')).join('');
}

/** Sorts the items by the hashes of their printed forms. */
export function inHashOrder<T>(items: readonly T[], print: (item: T) => string): T[] {
  if (items.length < 2) return [...items];
  const hashed = items.map((item) => ({ item, hash: fnv128a(print(item)) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ item }) => item);
}
