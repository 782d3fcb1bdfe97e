import { formatIP, isIPv4, parseIPSloppy } from '@coxswain/apimachinery/validation';

export interface NodeIPs {
  /** In canonical form; two are of different IP families. */
  readonly addresses: readonly string[];
  /** What is not an address. It has no effect. */
  readonly invalid: readonly string[];
}

/** Parses `--node-ip`. Throws an Error with upstream's message. */
export function parseNodeIPs(text: string): NodeIPs {
  const parts = text === '' ? [] : text.split(',').map((part) => part.trim());
  const parsed = parts.map((part) => ({ part, bytes: parseIPSloppy(part)?.bytes }));
  const ips = parsed.flatMap(({ bytes }) => bytes ?? []);
  const addresses = ips.map(formatIP);
  const [first, second] = ips;
  if (ips.length > 2 || (first && second && isIPv4(first) === isIPv4(second)))
    throw new Error('must contain either a single IP or a dual-stack pair of IPs');
  if (second && addresses.some(isUnspecified)) throw new Error("dual-stack node IP cannot include '0.0.0.0' or '::'");
  return { addresses, invalid: parsed.flatMap(({ part, bytes }) => (bytes ? [] : [part])) };
}

/** Whether an address in canonical form stands for any address of its family. */
export const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::';
