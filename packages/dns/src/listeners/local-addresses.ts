import { networkInterfaces } from 'node:os';

/** Returns the addresses of this machine without those of the loopback interface and link-local ones: the addresses at which others reach it. */
export const localAddresses = (): string[] => allAddresses().filter((address) => !/^127\.|^::1$/.test(address));

/** Returns all addresses of this machine except link-local ones, which cannot be bound without naming an interface. */
export function allAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
  return [...new Set(found)].filter((address) => !/^fe80:/i.test(address));
}
