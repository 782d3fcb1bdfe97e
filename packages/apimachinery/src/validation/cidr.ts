import { type ErrorList, invalid, type Path, quote } from '../field/index.ts';
import { formatIP, type IPAddress, isIPv4, parseIPSloppy } from './ip-address.ts';

/** A network, with the address as it was written. */
export interface CIDR {
  readonly address: IPAddress;
  /** The length of the prefix in bits, of 128. */
  readonly prefixBits: number;
  readonly network: Uint8Array;
  readonly hasLeadingZeros: boolean;
}

/** Parses a CIDR as old versions of Go did. Returns undefined when the text is not one. */
export function parseCIDRSloppy(text: string): CIDR | undefined {
  const slash = text.indexOf('/');
  const length = text.slice(slash + 1);
  const address = slash < 0 ? undefined : parseIPSloppy(text.slice(0, slash));
  if (!address || !/^\d+$/.test(length)) return undefined;
  const bits = Number(length);
  const offset = address.writtenAsIPv6 ? 0 : 96;
  if (bits > 128 - offset) return undefined;
  return {
    address,
    prefixBits: offset + bits,
    network: mask(address.bytes, offset + bits),
    hasLeadingZeros: address.hasLeadingZeros || (length.length > 1 && length.startsWith('0')),
  };
}

/** Returns the address with all bits after the prefix cleared. */
function mask(bytes: Uint8Array, prefixBits: number): Uint8Array {
  return bytes.map((byte, i) => byte & (0xff << Math.min(8, Math.max(0, 8 * (i + 1) - prefixBits))));
}

/** Whether every address of the inner network is in the outer one. False for networks of different families. */
export function isCIDRWithin(inner: CIDR, outer: CIDR): boolean {
  return (
    isIPv4(inner.network) === isIPv4(outer.network) &&
    inner.prefixBits >= outer.prefixBits &&
    equalBytes(mask(inner.network, outer.prefixBits), outer.network)
  );
}

/** Returns the canonical form. If the address is an IPv4 address, it is written as one, with the prefix length of IPv4. */
function format(bytes: Uint8Array, prefixBits: number): string {
  return `${formatIP(bytes)}/${isIPv4(bytes) ? prefixBits - 96 : prefixBits}`;
}

const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, i) => byte === b[i]);
const isMapped = (cidr: CIDR): boolean => cidr.address.writtenAsIPv6 && isIPv4(cidr.address.bytes);

function strictProblem(cidr: CIDR): string | undefined {
  if (cidr.hasLeadingZeros) return 'must not have leading 0s in IP or prefix length';
  if (isMapped(cidr)) return 'must not have an IPv4-mapped IPv6 address';
  return equalBytes(cidr.address.bytes, cidr.network) ? undefined : 'must not have bits set beyond the prefix length';
}

const invalidCIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** For fields of new kinds: accepts only a network in canonical form. */
export function isValidCIDR(path: Path, value: string): ErrorList {
  const cidr = parseCIDRSloppy(value);
  if (!cidr) return [invalid(path, value, invalidCIDR)];
  const problem = strictProblem(cidr);
  return problem
    ? [invalid(path, value, problem)]
    : requireCanonical(path, value, format(cidr.network, cidr.prefixBits));
}

/** For legacy fields: see `isValidIPForLegacyField`. */
export function isValidCIDRForLegacyField(
  path: Path,
  value: string,
  strict: boolean,
  validOldCIDRs: readonly string[] = [],
): ErrorList {
  if (validOldCIDRs.includes(value)) return [];
  const cidr = parseCIDRSloppy(value);
  if (!cidr) return [invalid(path, value, invalidCIDR)];
  const problem = strict ? strictProblem(cidr) : undefined;
  return problem ? [invalid(path, value, problem)] : [];
}

/** Accepts only an address with its prefix length, `10.9.8.7/24`, in canonical form. */
export function isValidInterfaceAddress(path: Path, value: string): ErrorList {
  const cidr = parseCIDRSloppy(value);
  if (!cidr) {
    return [invalid(path, value, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  }
  const { bytes, writtenAsIPv6 } = cidr.address;
  const length = writtenAsIPv6 ? cidr.prefixBits : cidr.prefixBits - 96;
  // As upstream: for an IPv4 address, even a mapped one, a length of up to 32 is that of IPv4.
  return requireCanonical(path, value, `${formatIP(bytes)}/${isIPv4(bytes) && length > 32 ? length - 96 : length}`);
}

function requireCanonical(path: Path, value: string, canonical: string): ErrorList {
  return value === canonical ? [] : [invalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}

/** Warnings for a CIDR that a legacy field accepted. */
export function getWarningsForCIDR(path: Path, value: string): string[] {
  const cidr = parseCIDRSloppy(value);
  if (!cidr) return [];
  const warnings: string[] = [];
  const canonical = format(cidr.network, cidr.prefixBits);
  if (!equalBytes(cidr.address.bytes, cidr.network)) {
    const single = `${formatIP(cidr.address.bytes)}/${cidr.address.writtenAsIPv6 ? 128 : 32}`;
    warnings.push(
      `${path}: CIDR value ${quote(value)} is ambiguous in this context (should be ${quote(canonical)} or ${quote(single)}?)`,
    );
  }
  if (cidr.hasLeadingZeros || isMapped(cidr)) {
    warnings.push(`${path}: non-standard CIDR value ${quote(value)} is invalid: use ${quote(canonical)}`);
  }
  if (warnings.length === 0 && cidr.address.writtenAsIPv6 && value !== canonical) {
    warnings.push(
      `${path}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`,
    );
  }
  return warnings;
}
