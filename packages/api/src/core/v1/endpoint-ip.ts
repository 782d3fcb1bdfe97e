import { type ErrorList, invalid, isIPv4, type Path, parseIPSloppy } from '@coxswain/apimachinery';

/**
 * An address to which traffic can be sent. Asked of endpoints and, since ever, of external IPs. Multicast beyond the
 * local link passes.
 */
export function validateEndpointIP(address: string, path: Path): ErrorList {
  const ip = parseIPSloppy(address);
  if (!ip) return [invalid(path, address, 'must be a valid IP address')];
  const { bytes } = ip;
  const v4 = isIPv4(bytes);
  const [a, b, c] = v4 ? bytes.subarray(12) : bytes;
  const start = v4 ? 12 : 0;
  const rest = bytes.subarray(start, 15);
  const last = bytes[15]!;
  const isZeroUpTo = rest.every((byte) => byte === 0);
  const errors: ErrorList = [];
  const complain = (detail: string): void => void errors.push(invalid(path, address, detail));
  if (isZeroUpTo && last === 0) complain(`may not be unspecified (${address})`);
  if (v4 ? a === 127 : isZeroUpTo && last === 1) complain('may not be in the loopback range (127.0.0.0/8, ::1/128)');
  if (v4 ? a === 169 && b === 254 : a === 0xfe && (b! & 0xc0) === 0x80)
    complain('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  if (v4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b! & 0x0f) === 0x02)
    complain('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
  return errors;
}
