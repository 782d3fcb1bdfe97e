import { formatIP, isIPv4, parseCIDRSloppy } from '@coxswain/apimachinery/validation';

/** An address range, its first address a number. */
export interface Network {
  readonly first: bigint;
  readonly prefixLength: number;
  /** 32 or 128. */
  readonly bits: number;
}

/** Undefined when the text is no CIDR. */
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

/** Its last address. */
export const lastOf = ({ first, prefixLength, bits }: Network): bigint =>
  first | ((1n << BigInt(bits - prefixLength)) - 1n);

/** One of the two is within the other. */
export const overlap = (a: Network, b: Network): boolean =>
  a.bits === b.bits && a.first <= lastOf(b) && b.first <= lastOf(a);
