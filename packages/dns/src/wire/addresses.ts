import { isIPv4, isIPv6 } from 'node:net';

/** Returns the bytes of an address, or undefined when the text is none. IPv6 addresses may have a zone, which is left out. */
export function addressBytes(text: string): Buffer | undefined {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  const [plain = ''] = text.split('%');
  return isIPv6(plain) ? ipv6Bytes(plain) : undefined;
}

function ipv6Bytes(text: string): Buffer {
  const bytes = Buffer.alloc(16);
  const [head = '', tail] = text.split('::');
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  Buffer.from(front).copy(bytes, 0);
  Buffer.from(back).copy(bytes, 16 - back.length);
  return bytes;
}

/** Returns the bytes of groups such as `2001:db8` and `ffff:10.0.0.1`. */
function groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** Returns an address as text, IPv6 in the form of RFC 5952. */
export function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const parts = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && parts[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = (from: number, to: number): string =>
    parts
      .slice(from, to)
      .map((part) => part.toString(16))
      .join(':');
  if (best.start < 0) return hex(0, 8);
  return `${hex(0, best.start)}::${hex(best.start + best.length, 8)}`;
}

/** Returns the address as Go prints it: in its shortest form, and IPv6 forms of IPv4 addresses as IPv4. */
export function canonicalAddress(text: string): string | undefined {
  const bytes = addressBytes(text);
  if (!bytes) return undefined;
  const isMapped =
    bytes.length === 16 && bytes.readUInt16BE(10) === 0xffff && bytes.subarray(0, 10).every((byte) => byte === 0);
  return addressText(isMapped ? bytes.subarray(12) : bytes);
}

const suffix4 = '.in-addr.arpa.';
const suffix6 = '.ip6.arpa.';

export const isReverseName = (name: string): boolean => name.endsWith(suffix4) || name.endsWith(suffix6);

/** Returns the address of a name such as `1.0.96.10.in-addr.arpa.`, or undefined when it stands for no single address. */
export function addressOfReverse(name: string): string | undefined {
  if (name.endsWith(suffix4)) {
    const text = name.slice(0, -suffix4.length).split('.').reverse().join('.');
    return isIPv4(text) ? text : undefined;
  }
  if (!name.endsWith(suffix6)) return undefined;
  const digits = name.slice(0, -suffix6.length).split('.').reverse();
  if (digits.length !== 32 || digits.some((digit) => !/^[0-9a-f]$/.test(digit))) return undefined;
  return addressText(Buffer.from(digits.join(''), 'hex'));
}
