import { formatIP, isIPv4, parseCIDRSloppy, parseIPSloppy } from '@coxswain/apimachinery';
import { Bitmap } from './bitmap.ts';
import { staticBand } from './static-band.ts';

export type IPFamily = 'IPv4' | 'IPv6';

/** An address as a number. IPv4 addresses are IPv6-mapped, so both families share one number space. */
type AddressNumber = bigint;

/**
 * Differs from upstream: only the first 2^20 addresses of a range are allocated automatically, which was the maximum size of a
 * service range before ServiceCIDRs. The other addresses can still be requested.
 */
const maxTracked = 2 ** 20;

/** The addresses of a service CIDR, with a bitmap of allocated ones. */
export class AddressRange {
  /** The CIDR in canonical form. */
  readonly cidr: string;
  readonly family: IPFamily;
  readonly networkAddress: string;
  readonly #network: AddressNumber;
  readonly #last: AddressNumber;
  readonly #taken: Bitmap;
  /** Addresses with offsets from 1 up to but not including this are allocated automatically. */
  readonly #end: number;
  readonly #dynamicFrom: number;

  private constructor(cidr: string, network: Uint8Array, hostBits: number) {
    this.cidr = cidr;
    this.family = isIPv4(network) ? 'IPv4' : 'IPv6';
    this.networkAddress = formatIP(network);
    this.#network = toNumber(network);
    const size = 1n << BigInt(hostBits);
    // The first address is that of the network, and the last of an IPv4 network is its broadcast address.
    this.#last = this.#network + size - (this.family === 'IPv4' ? 2n : 1n);
    this.#end = Math.max(1, Number(this.#last - this.#network) + 1);
    if (this.#end > maxTracked) this.#end = maxTracked;
    this.#taken = new Bitmap(this.#end);
    this.#dynamicFrom = 1 + staticBand(Number(size), { min: 16, max: 256, step: 16 });
  }

  /** Returns undefined when `text` is not a CIDR. */
  static parse(text: string): AddressRange | undefined {
    const cidr = parseCIDRSloppy(text);
    return cidr && new AddressRange(text, cidr.network, 128 - cidr.prefixBits);
  }

  /** Returns whether the address can be allocated: it is in the CIDR, and not the network or broadcast address. */
  contains(address: AddressNumber): boolean {
    return address > this.#network && address <= this.#last;
  }

  /** Returns the address at an offset from the network address. */
  at(offset: number): string {
    return formatIP(toBytes(this.#network + BigInt(offset)));
  }

  mark(address: AddressNumber, taken: boolean): void {
    if (!this.contains(address)) return;
    const offset = Number(address - this.#network);
    if (offset >= this.#end) return;
    if (taken) this.#taken.set(offset);
    else this.#taken.clear(offset);
  }

  /** Returns a random free address above the static band, or else in the static band. Undefined when none is free. */
  findFree(random: () => number): string | undefined {
    const offset = this.#find(this.#dynamicFrom, this.#end, random) ?? this.#find(1, this.#dynamicFrom, random);
    return offset === undefined ? undefined : this.at(offset);
  }

  #find(from: number, to: number, random: () => number): number | undefined {
    const end = Math.min(to, this.#end);
    if (from >= end) return undefined;
    return this.#taken.findClear(from, end, from + Math.floor(random() * (end - from)));
  }
}

/** Parses an address. Returns undefined when `text` is not one. */
export function parseAddress(text: string): { number: AddressNumber; canonical: string; family: IPFamily } | undefined {
  const bytes = parseIPSloppy(text)?.bytes;
  if (!bytes) return undefined;
  return { number: toNumber(bytes), canonical: formatIP(bytes), family: isIPv4(bytes) ? 'IPv4' : 'IPv6' };
}

function toNumber(bytes: Uint8Array): AddressNumber {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8);
}

function toBytes(address: AddressNumber): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, address >> 64n);
  view.setBigUint64(8, address & 0xffff_ffff_ffff_ffffn);
  return bytes;
}
