import {
  type CIDR,
  formatIP,
  isCIDRWithin,
  isIPv4,
  parseCIDRSloppy,
  parseIPSloppy,
} from '@coxswain/apimachinery/validation';

export type AddressFamily = 'ipv4' | 'ipv6';

/** A network with the addresses that pods can have in it. */
export class AddressRange {
  readonly family: AddressFamily;
  /** The length of the prefix in bits of its family. */
  readonly prefixLength: number;
  /** How many addresses there are for pods. */
  readonly size: bigint;
  readonly #cidr: CIDR;
  readonly #base: bigint;

  /** Throws if the text is not a network with room for a gateway and a pod. */
  constructor(text: string) {
    const cidr = parseCIDRSloppy(text);
    if (!cidr) throw new Error(`invalid CIDR ${JSON.stringify(text)}`);
    this.#cidr = cidr;
    this.family = isIPv4(cidr.network) ? 'ipv4' : 'ipv6';
    this.prefixLength = this.family === 'ipv4' ? cidr.prefixBits - 96 : cidr.prefixBits;
    this.#base = numberOf(cidr.network);
    // Without the network's own address, the gateway, and, with IPv4, the broadcast address.
    this.size = (1n << BigInt(128 - cidr.prefixBits)) - (this.family === 'ipv4' ? 3n : 2n);
    if (this.size < 1n) throw new Error(`CIDR ${text} has no room for pods`);
  }

  /** The first address: the bridge's. */
  get gateway(): string {
    return formatIP(bytesOf(this.#base + 1n));
  }

  /** The address of a pod, from 0 on. */
  address(index: bigint): string {
    return formatIP(bytesOf(this.#base + 2n + index));
  }

  /** The place of an address among those of pods. Undefined if it is not one of them. */
  indexOf(address: string): bigint | undefined {
    const ip = parseIPSloppy(address);
    if (!ip || (isIPv4(ip.bytes) ? 'ipv4' : 'ipv6') !== this.family) return undefined;
    const index = numberOf(ip.bytes) - this.#base - 2n;
    return index >= 0n && index < this.size ? index : undefined;
  }

  /** Whether an address is one of those of pods. */
  contains(address: string): boolean {
    return this.indexOf(address) !== undefined;
  }

  isWithin(other: AddressRange): boolean {
    return isCIDRWithin(this.#cidr, other.#cidr);
  }

  toString(): string {
    return `${formatIP(this.#cidr.network)}/${this.prefixLength}`;
  }
}

/** The ranges of a list that is separated by commas, such as a dual-stack pod CIDR. */
export const addressRanges = (list: string): readonly AddressRange[] =>
  list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => new AddressRange(text));

export const familyOf = (address: string): AddressFamily => (address.includes(':') ? 'ipv6' : 'ipv4');

const numberOf = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

function bytesOf(number: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  for (let i = 15, rest = number; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
  return bytes;
}
