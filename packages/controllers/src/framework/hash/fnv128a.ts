/**
 * The 128-bit FNV-1a hash of a text, as 32 hexadecimal digits. Upstream puts ports and addresses in the order of such
 * hashes; who writes them in the same order makes no difference that the other would want to mend.
 */
export function fnv128a(text: string): string {
  // The offset basis, and as the low part of the prime 2^88 + 0x13b; 32 bits at a time, the lowest first.
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

/** The items in the order of the hashes of what is printed of them. */
export function inHashOrder<T>(items: readonly T[], print: (item: T) => string): T[] {
  if (items.length < 2) return [...items];
  const hashed = items.map((item) => ({ item, hash: fnv128a(print(item)) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ item }) => item);
}
