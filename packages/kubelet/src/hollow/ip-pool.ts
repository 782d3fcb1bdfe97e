import { formatIP, isIPv4, parseCIDRSloppy } from '@coxswain/apimachinery/validation';

/** Allocates the addresses of a range in ascending order, starting over at its end. The first two are reserved: network and gateway. */
export class IpPool {
  readonly cidr: string;
  readonly #first: bigint;
  readonly #size: bigint;
  readonly #taken = new Set<bigint>();
  #next = 2n;

  /** Throws if the text is not a CIDR. */
  constructor(cidr: string) {
    const range = parseCIDRSloppy(cidr);
    if (!range) throw new Error(`${JSON.stringify(cidr)} is not a CIDR`);
    this.cidr = cidr;
    this.#first = range.network.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    // The last address of an IPv4 network is for broadcasts.
    const broadcast = isIPv4(range.network) ? 1n : 0n;
    this.#size = (1n << BigInt(128 - range.prefixBits)) - broadcast;
  }

  /** Returns a free address. Throws if there is none. */
  allocate(): string {
    if (BigInt(this.#taken.size) >= this.#size - 2n) {
      throw new Error(`no IP addresses available in range set: ${this.cidr}`);
    }
    while (this.#taken.has(this.#next)) this.#advance();
    const offset = this.#next;
    this.#taken.add(offset);
    this.#advance();
    return format(this.#first + offset);
  }

  /** Makes an address free again. Has no effect on addresses outside the range. */
  release(ip: string): void {
    const range = parseCIDRSloppy(`${ip}/${ip.includes(':') ? 128 : 32}`);
    if (!range) return;
    this.#taken.delete(range.network.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) - this.#first);
  }

  #advance(): void {
    this.#next += 1n;
    if (this.#next >= this.#size) this.#next = 2n;
  }
}

const format = (address: bigint): string =>
  formatIP(Uint8Array.from({ length: 16 }, (_, i) => Number((address >> BigInt(8 * (15 - i))) & 0xffn)));
