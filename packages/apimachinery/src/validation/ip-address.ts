/** An address as its 16 bytes. An IPv4 address is in IPv4-mapped form. */
export interface IPAddress {
  readonly bytes: Uint8Array;
  /** Whether it was written with colons, even as an IPv4-mapped address. */
  readonly writtenAsIPv6: boolean;
  /** Whether it has leading zeros. Upstream's old parser accepts them; all other parsers refuse them or read octal. */
  readonly hasLeadingZeros: boolean;
}

const v4Offset = 12;

/**
 * Parses an address as old versions of Go did, with leading zeros. Returns undefined when the text is not an address. Zones are not
 * accepted.
 */
export function parseIPSloppy(text: string): IPAddress | undefined {
  const separator = /[.:]/.exec(text)?.[0];
  if (separator === '.') return parseIPv4(text);
  return separator === ':' ? parseIPv6(text) : undefined;
}

function parseIPv4(text: string): IPAddress | undefined {
  // Only the value of the digits is limited, so any number of leading zeros is accepted.
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
  // Without `::` all bytes must be present; `::` stands for at least one group.
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

/** Whether it is an IPv4 address, however it was written. */
export function isIPv4(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

/** Returns the canonical form: dotted for IPv4, even if it was mapped; RFC 5952 for IPv6. */
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
