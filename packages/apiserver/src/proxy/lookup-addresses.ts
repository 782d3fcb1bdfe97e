import { lookup } from 'node:dns/promises';

/** All addresses of a host name, as the operating system knows them; an address is its own. */
export const lookupAddresses = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);
