import { type CIDR, isCIDRWithin, isIPv4, parseCIDRSloppy, parseIPSloppy } from '@coxswain/apimachinery/validation';

/** A range of service addresses. */
export class AddressPrefix {
  readonly #cidr: CIDR;
  readonly #first: bigint;
  readonly #last: bigint;

  private constructor(cidr: CIDR) {
    this.#cidr = cidr;
    this.#first = numberOf(cidr.network);
    this.#last = this.#first + (1n << BigInt(128 - cidr.prefixBits)) - 1n;
  }

  /** Returns undefined for an invalid CIDR. */
  static parse(text: string): AddressPrefix | undefined {
    const cidr = parseCIDRSloppy(text);
    return cidr && new AddressPrefix(cidr);
  }

  get family(): 'IPv4' | 'IPv6' {
    return isIPv4(this.#cidr.network) ? 'IPv4' : 'IPv6';
  }

  /** Whether the other range is contained in this one. */
  contains(other: AddressPrefix): boolean {
    return isCIDRWithin(other.#cidr, this.#cidr);
  }

  overlaps(other: AddressPrefix): boolean {
    return this.contains(other) || other.contains(this);
  }

  /** Whether the address is usable for a service: the first address of the range is not, and with IPv4 the last one is not. */
  holds(address: string): boolean {
    const bytes = parseIPSloppy(address)?.bytes;
    if (!bytes || isIPv4(bytes) !== (this.family === 'IPv4')) return false;
    const number = numberOf(bytes);
    return number > this.#first && (this.family === 'IPv4' ? number < this.#last : number <= this.#last);
  }
}

function numberOf(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8);
}
