import { quote } from '@coxswain/apimachinery';

/** An address as in Go's net/netip: 4 or 16 bytes. */
export interface Address {
  readonly bytes: Uint8Array;
  /** The zone of an IPv6 address; empty if it has none. */
  readonly zone: string;
}

/** A network. Bits of the address beyond the prefix may be set. */
export interface Prefix {
  readonly address: Uint8Array;
  readonly bits: number;
}

/** Parses an address. Throws an Error with Go's message. */
export function parseAddress(text: string): Address {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === '.') return { bytes: parseIPv4(text, text), zone: '' };
  if (first === ':') return parseIPv6(text);
  throw parseError(text, first === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

function parseError(text: string, problem: string, at = ''): Error {
  return new Error(`ParseAddr(${quote(text)}): ${problem}${at === '' ? '' : ` (at ${quote(at)})`}`);
}

/** Parses an IPv4 address. `dotted` is `text` or its end. */
function parseIPv4(text: string, dotted: string): Uint8Array {
  const bytes = new Uint8Array(4);
  let field = 0;
  let value = 0;
  let digits = 0;
  for (let i = 0; i < dotted.length; i++) {
    const character = dotted[i]!;
    if (character >= '0' && character <= '9') {
      if (digits === 1 && value === 0) throw parseError(text, 'IPv4 field has octet with leading zero');
      value = value * 10 + Number(character);
      digits++;
      if (value > 255) throw parseError(text, 'IPv4 field has value >255');
    } else if (character === '.') {
      if (digits === 0 || i === dotted.length - 1) {
        throw parseError(text, 'IPv4 field must have at least one digit', dotted.slice(i));
      }
      if (field === 3) throw parseError(text, 'IPv4 address too long');
      bytes[field++] = value;
      value = 0;
      digits = 0;
    } else throw parseError(text, 'unexpected character', dotted.slice(i));
  }
  if (field < 3) throw parseError(text, 'IPv4 address too short');
  bytes[3] = value;
  return bytes;
}

function parseIPv6(text: string): Address {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') throw parseError(text, 'zone must be a non-empty string');
  let rest = percent < 0 ? text : text.slice(0, percent);
  const bytes: number[] = [];
  let ellipsis = -1;
  if (rest.startsWith('::')) {
    ellipsis = 0;
    rest = rest.slice(2);
  }
  while (rest !== '' && bytes.length < 16) {
    const [group = ''] = /^[0-9a-fA-F]{0,5}/.exec(rest) ?? [];
    if (group.length > 4) throw parseError(text, 'each group must have 4 or less digits', rest);
    if (group === '') throw parseError(text, 'each colon-separated field must have at least one digit', rest);
    if (rest[group.length] === '.') {
      bytes.push(...embeddedIPv4(text, rest, bytes.length, ellipsis >= 0));
      rest = '';
      break;
    }
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
    rest = rest.slice(group.length);
    if (rest === '') break;
    if (rest[0] !== ':') throw parseError(text, 'unexpected character, want colon', rest);
    if (rest === ':') throw parseError(text, 'colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest[0] === ':') {
      if (ellipsis >= 0) throw parseError(text, 'multiple :: in address', rest);
      ellipsis = bytes.length;
      rest = rest.slice(1);
    }
  }
  if (rest !== '') throw parseError(text, 'trailing garbage after address', rest);
  if (bytes.length < 16 && ellipsis < 0) throw parseError(text, 'address string too short');
  if (bytes.length === 16 && ellipsis >= 0) {
    throw parseError(text, 'the :: must expand to at least one field of zeros');
  }
  if (ellipsis >= 0) bytes.splice(ellipsis, 0, ...new Array<number>(16 - bytes.length).fill(0));
  return { bytes: Uint8Array.from(bytes), zone };
}

function embeddedIPv4(text: string, rest: string, at: number, hasEllipsis: boolean): Uint8Array {
  if (!hasEllipsis && at !== 12) {
    throw parseError(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest);
  }
  if (at > 12) {
    throw parseError(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest);
  }
  return parseIPv4(text, rest);
}

/** Parses a network. Throws an Error with Go's message. */
export function parsePrefix(text: string): Prefix {
  const slash = text.lastIndexOf('/');
  const problem = (message: string): Error => new Error(`netip.ParsePrefix(${quote(text)}): ${message}`);
  if (slash < 0) throw problem("no '/'");
  let address: Address;
  try {
    address = parseAddress(text.slice(0, slash));
  } catch (error) {
    throw error instanceof Error ? problem(error.message) : error;
  }
  if (address.zone !== '') throw problem('IPv6 zones cannot be present in a prefix');
  const digits = text.slice(slash + 1);
  if (!/^(?:[0-9]|[1-9][0-9]{1,18})$/.test(digits)) throw problem(`bad bits after slash: ${quote(digits)}`);
  const bits = Number(digits);
  if (bits > address.bytes.length * 8) throw problem('prefix length out of range');
  return { address: address.bytes, bits };
}

/** Reports whether an IPv6 address is an IPv4-mapped one. */
export function isIPv4Mapped(bytes: Uint8Array): boolean {
  return (
    bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

/** Returns the address with all but its first `bits` bits cleared. */
export function masked(bytes: Uint8Array, bits: number): Uint8Array {
  return bytes.map((byte, i) => byte & (0xff << Math.min(8, Math.max(0, 8 * (i + 1) - bits))));
}

/** Reports whether two addresses have the same family and the same first `bits` bits. */
export function sharesPrefix(a: Uint8Array, b: Uint8Array, bits: number): boolean {
  return a.length === b.length && Buffer.compare(masked(a, bits), masked(b, bits)) === 0;
}
