import { quote } from '@coxswain/apimachinery';

/** A range of ports, inclusive, as in `--service-node-port-range`. */
export class PortRange {
  readonly base: number;
  readonly size: number;

  constructor(base: number, size: number) {
    this.base = base;
    this.size = size;
  }

  contains(port: number): boolean {
    return port >= this.base && port < this.base + this.size;
  }

  toString(): string {
    return this.size === 0 ? '' : `${this.base}-${this.base + this.size - 1}`;
  }

  /** Parses `30000-32767`, `30000+2767` or `30000`. Throws an Error with upstream's message. */
  static parse(text: string): PortRange {
    const value = text.trim();
    if (value === '') return new PortRange(0, 0);
    if (value.includes('-') && value.includes('+')) throw new Error(`unable to parse port range: ${value}`);
    const at = value.search(/[-+]/);
    const first = parseInteger(at < 0 ? value : value.slice(0, at));
    const second = at < 0 ? first : parseInteger(value.slice(at + 1));
    const last = value[at] === '+' ? first + second : second;
    if (first > maxPort || last > maxPort) throw new Error(`the port range cannot be greater than 65535: ${value}`);
    if (last < first) throw new Error(`end port cannot be less than start port: ${value}`);
    return new PortRange(first, last - first + 1);
  }
}

const maxPort = 65535;

function parseInteger(digits: string): number {
  if (!/^\d+$/.test(digits)) throw new Error(`strconv.Atoi: parsing ${quote(digits)}: invalid syntax`);
  return Number(digits);
}
