import { addressBytes, canonicalAddress, fqdn, isDomainName, isInZone } from '../../wire/index.ts';

const maxLineLength = 64 * 1024;

/** The names and addresses of a hosts file. A name `*.example.org` stands for all names with one label more. */
export class HostsTable {
  readonly #addresses = new Map<string, string[]>();
  readonly #names = new Map<string, string[]>();
  #size = 0;

  /** Names outside of the zones are left out. Lines that cannot be read are skipped, as by every reader of such files. */
  constructor(text: string, zones: readonly string[], hasReverse: boolean) {
    for (const line of text.split('\n')) {
      if (line.length > maxLineLength) continue;
      const [plain = ''] = line.split('#');
      const [address = '', ...names] = plain.trim().split(/\s+/);
      const canonical = canonicalAddress(address);
      if (canonical === undefined) continue;
      for (const written of names) this.#add(fqdn(written.toLowerCase()), canonical, zones, hasReverse);
    }
  }

  get size(): number {
    return this.#size;
  }

  /** The addresses of a name, of one length in bytes: 4 or 16. */
  addresses(name: string, length: 4 | 16): string[] {
    const found = this.#addresses.get(name) ?? this.#addresses.get(`*${name.slice(name.indexOf('.'))}`) ?? [];
    return found.filter((address) => addressBytes(address)?.length === length);
  }

  names(address: string): readonly string[] {
    return this.#names.get(address) ?? [];
  }

  #add(name: string, address: string, zones: readonly string[], hasReverse: boolean): void {
    if (!isDomainName(name) || !zones.some((zone) => isInZone(name, zone))) return;
    append(this.#addresses, name, address);
    this.#size++;
    if (!hasReverse || name.startsWith('*')) return;
    append(this.#names, address, name);
    this.#size++;
  }
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
