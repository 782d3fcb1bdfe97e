import { type ErrorList, invalid, isIPv4, type Path, parseIPSloppy } from '@coxswain/apimachinery';

/**
 * Validates an address to which traffic can be sent: of endpoints and external IPs. Multicast addresses outside the
 * link-local range are accepted.
 */
export function validateEndpointIP(address: string, path: Path): ErrorList {
  const ip = parseIPSloppy(address);
  if (!ip) return [invalid(path, address, 'must be a valid IP address')];
  const v4 = isIPv4(ip.bytes);
  const bytes = v4 ? ip.bytes.subarray(12) : ip.bytes;
  const [a = 0, b = 0, c = 0] = bytes;
  const last = bytes[bytes.length - 1];
  const isZeroButLast = bytes.subarray(0, -1).every((byte) => byte === 0);
  const errors: ErrorList = [];
  const forbid = (isForbidden: boolean, detail: string): void => {
    if (isForbidden) errors.push(invalid(path, address, detail));
  };
  forbid(isZeroButLast && last === 0, `may not be unspecified (${address})`);
  forbid(v4 ? a === 127 : isZeroButLast && last === 1, 'may not be in the loopback range (127.0.0.0/8, ::1/128)');
  forbid(
    v4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80,
    'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  );
  forbid(
    v4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0x0f) === 0x02,
    'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  );
  return errors;
}
