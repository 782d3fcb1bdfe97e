/** An address as its 16 bytes; an IPv4 address is held in its IPv6-mapped form. */
export interface IPAddress {
  readonly bytes: Uint8Array;
  /** It was written with colons, even if it is an IPv4-mapped address. */
  readonly writtenAsIPv6: boolean;
  /** Upstream's old parser accepts leading zeros that every other parser refuses or reads as octal. */
  readonly hasLeadingZeros: boolean;
}

const v4Offset = 12;

/** Reads an address as old versions of Go did, leading zeros and all; undefined when it is none. No zones. */
export function parseIPSloppy(text: string): IPAddress | undefined {
  const separator = /[.:]/.exec(text)?.[0];
  if (separator === '.') return parseIPv4(text);
  return separator === ':' ? parseIPv6(text) : undefined;
}

function parseIPv4(text: string): IPAddress | undefined {
  // Digits are bounded only in value, so that any number of leading zeros passes.
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (!match) return undefined;
  const bytes = new Uint8Array(16);
  bytes.fill(0xff, v4Offset - 2, v4Offset);
  let hasLeadingZeros = false;
  for (let i = 0; i < 4; i++) {
    const digits = match[i + 1]!;
    const octet = Number(digits);
    if (octet > 255) return undefined;
    bytes[v4Offset + i] = octet;
    hasLeadingZeros ||= digits.length > 1 && digits.startsWith('0');
  }
  return { bytes, writtenAsIPv6: false, hasLeadingZeros };
}

function parseIPv6(text: string): IPAddress | undefined {
  const halves = text.split('::', 3);
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const last = groups[groups.length - 1]!;
  const dotted = last[last.length - 1]?.includes('.') ? last.pop() : undefined;
  const embedded = dotted === undefined ? undefined : parseIPv4(dotted);
  if (dotted !== undefined && !embedded) return undefined;
  const tail = embedded?.bytes.subarray(v4Offset) ?? new Uint8Array(0);

  const count = groups.reduce((sum, part) => sum + part.length, 0);
  const free = 16 - tail.length - 2 * count;
  // Without `::` all bytes must be there; with it, it must stand for one group at least.
  if (halves.length === 1 ? free !== 0 : free < 2) return undefined;

  const bytes = new Uint8Array(16);
  let hasLeadingZeros = embedded?.hasLeadingZeros ?? false;
  let at = 0;
  for (const [half, part] of groups.entries()) {
    if (half === 1) at += free;
    for (const digits of part) {
      if (!/^[0-9A-Fa-f]+$/.test(digits)) return undefined;
      const group = Number.parseInt(digits, 16);
      if (group > 0xffff) return undefined;
      bytes[at++] = group >> 8;
      bytes[at++] = group & 0xff;
      hasLeadingZeros ||= digits.length > 4;
    }
  }
  bytes.set(tail, at);
  return { bytes, writtenAsIPv6: true, hasLeadingZeros };
}

/** It is an IPv4 address, whichever way it was written. */
export function isIPv4(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

/** The canonical form: dotted for IPv4, also when it was mapped; RFC 5952 for IPv6. */
export function formatIP(bytes: Uint8Array): string {
  return isIPv4(bytes) ? bytes.subarray(v4Offset).join('.') : formatIPv6(bytes);
}

function formatIPv6(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  let start = 0;
  let length = 0;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (groups[end] === '0') end++;
    if (end - i > length) [start, length] = [i, end - i];
    i = Math.max(i, end - 1);
  }
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}
