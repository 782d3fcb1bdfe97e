import { type IPAddress, isIPv4 } from '@coxswain/apimachinery';

/** Go's `IsGlobalUnicast`: false for loopback, link-local, multicast, broadcast and unspecified addresses. */
export function isGlobalUnicast({ bytes }: IPAddress): boolean {
  if (isIPv4(bytes)) {
    const [a, b] = [bytes[12]!, bytes[13]!];
    const isAll = (value: number) => bytes.subarray(12).every((byte) => byte === value);
    return a !== 127 && (a & 0xf0) !== 0xe0 && !(a === 169 && b === 254) && !isAll(0) && !isAll(0xff);
  }
  const [first, second] = [bytes[0]!, bytes[1]!];
  // `::` and `::1`.
  const isLow = bytes.subarray(0, 15).every((byte) => byte === 0) && bytes[15]! <= 1;
  return first !== 0xff && !(first === 0xfe && (second & 0xc0) === 0x80) && !isLow;
}
