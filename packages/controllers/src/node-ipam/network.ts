import { formatIP, isIPv4, parseCIDRSloppy } from '@coxswain/apimachinery/validation';

/** An address range. `first` is its first address as a number. */
export interface Network {
  readonly first: bigint;
  readonly prefixLength: number;
  /** 32 or 128. */
  readonly bits: number;
}

/** Returns undefined when the text is not a CIDR. */
export function parseNetwork(text: string): Network | undefined {
  const cidr = parseCIDRSloppy(text);
  if (!cidr) return undefined;
  const isV4 = isIPv4(cidr.network) && cidr.prefixBits >= 96;
  const first = cidr.network.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return isV4
    ? { first: BigInt.asUintN(32, first), prefixLength: cidr.prefixBits - 96, bits: 32 }
    : { first, prefixLength: cidr.prefixBits, bits: 128 };
}

export function formatNetwork({ first, prefixLength, bits }: Network): string {
  const mapped = bits === 32 ? first | (0xffffn << 32n) : first;
  const bytes = Uint8Array.from({ length: 16 }, (_, i) => Number((mapped >> BigInt(8 * (15 - i))) & 0xffn));
  return `${formatIP(bytes)}/${prefixLength}`;
}

/** Returns the last address. */
export const lastOf = ({ first, prefixLength, bits }: Network): bigint =>
  first | ((1n << BigInt(bits - prefixLength)) - 1n);

/** Whether the networks overlap, that is, one contains the other. */
export const overlap = (a: Network, b: Network): boolean =>
  a.bits === b.bits && a.first <= lastOf(b) && b.first <= lastOf(a);
