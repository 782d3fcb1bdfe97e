import { addressBytes, fqdn, isDomainName } from '../wire/index.ts';
import type { ServerBlock } from './parse-corefile.ts';
import { errorAt, type Place } from './corefile-error.ts';

/** A zone of a server block, and the port at which it is served. */
export interface ZoneKey {
  /** In lower case, with a dot at the end. */
  readonly zone: string;
  readonly port: number;
}

/** Transports other than plain DNS. They are refused. */
const otherTransports = ['tls', 'grpc', 'https', 'https3', 'quic'];

/** Parses the keys of a server block. `defaultPort` applies to keys without one. Throws a CorefileError. */
export function zoneKeys({ keys, ...place }: ServerBlock, defaultPort: number): ZoneKey[] {
  return keys.flatMap((key) => {
    const transport = /^([a-z0-9]+):\/\//.exec(key)?.[1];
    if (transport !== undefined && transport !== 'dns') {
      const problem = otherTransports.includes(transport) ? 'is not supported' : 'is unknown';
      throw errorAt(place, `the transport ${transport}:// of ${key} ${problem}`);
    }
    const address = transport === undefined ? key : key.slice('dns://'.length);
    const [, host = '', portText] = /^(.*?)(?::(\d+))?$/.exec(address) ?? [];
    const port = portText === undefined ? defaultPort : Number(portText);
    if (port > 65_535) throw errorAt(place, `the port of ${key} is above 65535`);
    return zonesOf(host === '' ? '.' : host, place).map((zone) => ({ zone, port }));
  });
}

/**
 * Returns the zones of a name, or of a network such as `10.96.0.0/12`: the reverse zones on the byte boundaries (for IPv6: 4 bits) that cover it. Throws a
 * CorefileError.
 */
export function zonesOf(host: string, place: Place): string[] {
  const [, address = '', lengthText = ''] = /^(.*)\/(\d+)$/.exec(host) ?? [];
  const bytes = addressBytes(address);
  if (bytes) return reverseZones(bytes, Number(lengthText), place);
  const zone = fqdn(host.toLowerCase());
  if (!isDomainName(zone)) throw errorAt(place, `${JSON.stringify(host)} is no zone`);
  return [zone];
}

function reverseZones(bytes: Buffer, length: number, place: Place): string[] {
  const isIpv4 = bytes.length === 4;
  if (length > bytes.length * 8) throw errorAt(place, `the prefix length ${length} is too long`);
  const bitsPerDigit = isIpv4 ? 8 : 4;
  const digits = isIpv4 ? [...bytes] : [...bytes.toString('hex')].map((digit) => Number.parseInt(digit, 16));
  const count = Math.ceil(length / bitsPerDigit);
  const freeBits = count * bitsPerDigit - length;
  const suffix = isIpv4 ? 'in-addr.arpa.' : 'ip6.arpa.';
  const kept = digits.slice(0, count);
  const last = kept.pop();
  if (last === undefined) return [suffix];
  const first = last & ~((1 << freeBits) - 1);
  const text = (digit: number): string => digit.toString(isIpv4 ? 10 : 16);
  return Array.from({ length: 1 << freeBits }, (_, index) =>
    [...kept, first + index].map(text).reverse().concat(suffix).join('.'),
  );
}
