import { formatNetwork, lastOf, type Network, overlap } from './network.ts';

const mostBitsOfIPv6 = 16;

/** Allocates ranges of one size from a larger range. */
export class CidrSet {
  readonly cluster: Network;
  readonly #nodePrefixLength: number;
  readonly #count: number;
  /** One bit for each range, set when the range is allocated or occupied. */
  readonly #taken: Uint8Array;
  #takenCount = 0;
  /** The index where the next search starts. It wraps around, so that a released range is not reused at once. */
  #next = 0;

  /** Throws when the ranges would be larger than the cluster's range, or too many. */
  constructor(cluster: Network, nodePrefixLength: number) {
    const bits = nodePrefixLength - cluster.prefixLength;
    if (bits < 0) {
      throw new RangeError(
        'Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family',
      );
    }
    if (cluster.bits === 128 && bits > mostBitsOfIPv6) {
      throw new RangeError('New CIDR set failed; the node CIDR size is too big');
    }
    this.cluster = cluster;
    this.#nodePrefixLength = nodePrefixLength;
    this.#count = 2 ** bits;
    this.#taken = new Uint8Array(Math.ceil(this.#count / 8));
  }

  /** Allocates a free range. Throws when there is none. */
  allocateNext(): Network {
    if (this.#takenCount === this.#count) {
      throw new Error('CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range');
    }
    let index = this.#next;
    while (this.#isTaken(index)) index = (index + 1) % this.#count;
    this.#next = (index + 1) % this.#count;
    this.#set(index, true);
    const { first, bits } = this.cluster;
    const prefixLength = this.#nodePrefixLength;
    return { first: first + (BigInt(index) << BigInt(bits - prefixLength)), prefixLength, bits };
  }

  /** Marks all ranges that overlap the network as taken, including those that already are. Throws when none overlaps. */
  occupy(network: Network): void {
    this.#setAll(network, true);
  }

  /** Frees all ranges that overlap the network. Throws when none overlaps. */
  release(network: Network): void {
    this.#setAll(network, false);
  }

  #setAll(network: Network, isTaken: boolean): void {
    const { cluster } = this;
    if (!overlap(network, cluster)) {
      throw new RangeError(`cidr ${formatNetwork(network)} is out the range of cluster cidr ${formatNetwork(cluster)}`);
    }
    const isWithin = network.prefixLength > cluster.prefixLength;
    const end = isWithin ? this.#indexOf(lastOf(network)) : this.#count - 1;
    for (let index = isWithin ? this.#indexOf(network.first) : 0; index <= end; index++) this.#set(index, isTaken);
  }

  #indexOf(address: bigint): number {
    const { first, bits } = this.cluster;
    return Number((address - first) >> BigInt(bits - this.#nodePrefixLength));
  }

  #isTaken(index: number): boolean {
    return ((this.#taken[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  #set(index: number, isTaken: boolean): void {
    if (this.#isTaken(index) === isTaken) return;
    this.#taken[index >> 3] = (this.#taken[index >> 3] ?? 0) ^ (1 << (index & 7));
    this.#takenCount += isTaken ? 1 : -1;
  }
}
