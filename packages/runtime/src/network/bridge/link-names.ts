import { createHash } from 'node:crypto';

/** The name of the node's end of a pod's cable. Names of interfaces have at most 15 characters. */
export const linkName = (network: string, id: string): string =>
  `cx${createHash('sha256').update(`${network}/${id}`).digest('hex').slice(0, 12)}`;

/**
 * The hardware address of a pod, from its first address: who remembers it for an address that is assigned again, remembers the right one.
 * Locally administered.
 */
export const hardwareAddress = (address: string): string => {
  const bytes = address.includes(':')
    ? [...createHash('sha256').update(address).digest().subarray(0, 4)]
    : address.split('.').map(Number);
  return ['0a', '58', ...bytes.map((byte) => byte.toString(16).padStart(2, '0'))].join(':');
};
