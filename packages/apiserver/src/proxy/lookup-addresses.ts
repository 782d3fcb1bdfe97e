import { lookup } from 'node:dns/promises';

/** Resolves a host name to all its addresses with the operating system's resolver. An IP address resolves to itself. */
export const lookupAddresses = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);
