import { type ErrorList, invalid, type Path, quote } from '../field/index.ts';
import { formatIP, type IPAddress, isIPv4, parseIPSloppy } from './ip-address.ts';

const invalidIP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Returns what the strict rule refuses in an address that the sloppy parser accepted. */
function strictProblem(ip: IPAddress): string | undefined {
  if (ip.hasLeadingZeros) return 'must not have leading 0s';
  return ip.writtenAsIPv6 && isIPv4(ip.bytes) ? 'must not be an IPv4-mapped IPv6 address' : undefined;
}

/** For fields of new kinds: accepts only an address in canonical form. */
export function isValidIP(path: Path, value: string): ErrorList {
  const ip = parseIPSloppy(value);
  if (!ip) return [invalid(path, value, invalidIP)];
  const problem = strictProblem(ip);
  if (problem) return [invalid(path, value, problem)];
  const canonical = formatIP(ip.bytes);
  return value === canonical ? [] : [invalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}

/**
 * For legacy fields, in which addresses with leading zeros or in IPv4-mapped form may already be stored. These are refused only with
 * `strict`, and never when the old object had the same value.
 */
export function isValidIPForLegacyField(
  path: Path,
  value: string,
  strict: boolean,
  validOldIPs: readonly string[] = [],
): ErrorList {
  if (validOldIPs.includes(value)) return [];
  const ip = parseIPSloppy(value);
  if (!ip) return [invalid(path, value, invalidIP)];
  const problem = strict ? strictProblem(ip) : undefined;
  return problem ? [invalid(path, value, problem)] : [];
}

/** Warnings for an address that a legacy field accepted. */
export function getWarningsForIP(path: Path, value: string): string[] {
  const ip = parseIPSloppy(value);
  if (!ip) return [];
  const canonical = formatIP(ip.bytes);
  if (strictProblem(ip))
    return [`${path}: non-standard IP address ${quote(value)} is invalid: use ${quote(canonical)}`];
  if (ip.writtenAsIPv6 && value !== canonical) {
    return [`${path}: IPv6 address ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`];
  }
  return [];
}
