import { formatIP, quote } from '@coxswain/apimachinery';
import type { FunctionDeclaration, Library } from '../checking/function-declaration.ts';
import { BOOL, type CelType, INT, opaque, STRING } from '../values/types.ts';
import { CelError, type CelValue, OpaqueValue } from '../values/values.ts';
import { estimateNominalEquality, nominalCost, traversalCost } from './call-cost.ts';
import { globalFunction, method } from './declare.ts';
import { isIPv4Mapped, parseAddress } from './netip.ts';
import { accepts, asCelError } from './parse-error.ts';

export const IP: CelType<IPValue> = opaque('net.IP');

/** An IPv4 or IPv6 address; never an IPv4-mapped one. */
export class IPValue extends OpaqueValue {
  readonly celType = IP;
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
  }

  override get costSize(): number {
    return this.bytes.length;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof IPValue)) throw new CelError('no such overload');
    return Buffer.compare(this.bytes, other.bytes) === 0;
  }

  override toString(): string {
    return formatAddress(this.bytes);
  }
}

/** Formats an address of 4 or 16 bytes in canonical form. */
export const formatAddress = (bytes: Uint8Array): string => (bytes.length === 4 ? bytes.join('.') : formatIP(bytes));

/** Parses an address. Throws CelError with upstream's message. */
export function parseIP(text: string): IPValue {
  const { bytes, zone } = asCelError(
    () => parseAddress(text),
    (message) => `IP Address ${quote(text)} parse error during conversion from string: ${message}`,
  );
  if (zone !== '') throw new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  if (isIPv4Mapped(bytes)) throw new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return new IPValue(bytes);
}

const isV4 = ({ bytes }: IPValue): boolean => bytes.length === 4;
const [first, second] = [({ bytes }: IPValue) => bytes[0]!, ({ bytes }: IPValue) => bytes[1]!];
const isUnspecified = ({ bytes }: IPValue): boolean => bytes.every((byte) => byte === 0);
const isLoopback = (ip: IPValue): boolean =>
  isV4(ip) ? first(ip) === 127 : ip.bytes.every((byte, i) => byte === (i === 15 ? 1 : 0));
const isMulticast = (ip: IPValue): boolean => (isV4(ip) ? (first(ip) & 0xf0) === 0xe0 : first(ip) === 0xff);
const isLinkLocalMulticast = (ip: IPValue): boolean =>
  isV4(ip)
    ? first(ip) === 224 && second(ip) === 0 && ip.bytes[2] === 0
    : first(ip) === 0xff && (second(ip) & 0x0f) === 0x02;
const isLinkLocalUnicast = (ip: IPValue): boolean =>
  isV4(ip) ? first(ip) === 169 && second(ip) === 254 : first(ip) === 0xfe && (second(ip) & 0xc0) === 0x80;
const isBroadcast = (ip: IPValue): boolean => isV4(ip) && ip.bytes.every((byte) => byte === 255);
const isGlobalUnicast = (ip: IPValue): boolean =>
  !isUnspecified(ip) && !isBroadcast(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip);

const predicate = (name: string, id: string, call: (ip: IPValue) => boolean): FunctionDeclaration =>
  method(name, { id, parameters: [IP], result: BOOL, cost: nominalCost, call });

/** `ip()`, `isIP()` and the functions of an address. */
export const ipLibrary: Library = {
  name: 'kubernetes.net.ip',
  estimateEquality: estimateNominalEquality(IP),
  types: [IP],
  functions: [
    globalFunction('ip', {
      id: 'string_to_ip',
      parameters: [STRING],
      result: IP,
      cost: traversalCost(),
      call: parseIP,
    }),
    globalFunction('ip.isCanonical', {
      id: 'ip_is_canonical',
      parameters: [STRING],
      result: BOOL,
      cost: traversalCost(2),
      call: (text) => parseIP(text).toString() === text,
    }),
    globalFunction('isIP', {
      id: 'is_ip',
      parameters: [STRING],
      result: BOOL,
      cost: traversalCost(),
      call: (text) => accepts(() => parseIP(text)),
    }),
    method('family', {
      id: 'ip_family',
      parameters: [IP],
      result: INT,
      cost: nominalCost,
      call: (ip) => (isV4(ip) ? 4n : 6n),
    }),
    globalFunction('string', {
      id: 'ip_to_string',
      parameters: [IP],
      result: STRING,
      call: (ip) => ip.toString(),
    }),
    predicate('isUnspecified', 'ip_is_unspecified', isUnspecified),
    predicate('isLoopback', 'ip_is_loopback', isLoopback),
    predicate('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    predicate('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    predicate('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
  ],
};
